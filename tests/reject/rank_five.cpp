//! residua: a stream has one to three leading axes and the feature axis
//! axes given: 5
#include "common.hpp"

inline constexpr axis<"H"> H;
inline constexpr axis<"W"> W;
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, H, W, d), [](auto x) { return x; });
#else
inline constexpr auto b = block<"b">(stream(B, H, W, d), [](auto x) { return x; });
#endif
