//! residua: the two sides have different shapes
//! numbers: (B, S, one = 1)
//! stream: (B, T, d = 768)
//! axis 2 differs in name: S, T
#include "common.hpp"

#ifdef WRONG
inline constexpr axis<"S"> S;
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + mean(renamed(x, T, S)) * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + mean(x) * F(x); });
#endif
