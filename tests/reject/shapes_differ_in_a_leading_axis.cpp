//! residua: the two sides have different shapes
//! left of +: (B, T, d = 768)
//! right of +: (B, S, d = 768)
//! axis 2 differs in name: T, S
#include "common.hpp"

inline constexpr axis<"S"> S;
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + renamed(x, T, S); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + renamed(renamed(x, T, S), S, T); });
#endif
