//! residua: the two sides have different shapes
//! left of -: (B, T, d = 768)
//! right of -: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - up(N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - down(up(N(x))); });
#endif
