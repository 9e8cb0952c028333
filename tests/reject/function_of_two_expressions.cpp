//! residua: a function of one expression was expected, as in [](auto x) { ... }
//! block "b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x, auto y) { return x + F(y); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
