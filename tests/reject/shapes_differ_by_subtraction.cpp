//! residua: the two sides have different shapes
//! left: (B, T, d = 768)
//! right: (B, T, h = 3072)
//! axis 3: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - up(N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - down(up(N(x))); });
#endif
