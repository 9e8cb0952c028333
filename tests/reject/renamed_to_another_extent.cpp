//! residua: renamed takes two axes of one extent
//! given: (B, T, d = 768)
//! from: d = 768
//! to: h = 3072
#include "common.hpp"

inline constexpr axis<"e", 768> e;
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(x, d, h); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(renamed(x, d, e), e, d); });
#endif
