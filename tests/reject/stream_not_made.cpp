//! residua: a function of one expression was expected, as in [](auto x) { ... }
//! block "b"
//! given: not a stream and a function
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(B, T, d, [](auto x) { return x + F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
