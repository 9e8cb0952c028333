//! residua: the two sides have different shapes
//! left of +: (B, T, d = 768)
//! right of +: (B, T, d = 512)
//! axis 3 differs in extent: 768, 512
#include "common.hpp"

inline constexpr auto narrow = linear<"W">(d, axis<"d", 512>{});
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + narrow(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif
