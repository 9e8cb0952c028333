//! residua: renamed was given an axis that the expression does not have
//! given: (B, T, d = 768)
//! no axis: h = 3072
#include "common.hpp"

inline constexpr axis<"S"> S;
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(x, h, d); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(renamed(x, T, S), S, T); });
#endif
