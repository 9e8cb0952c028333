//! residua: an expression was expected
//! block "b"
//! N
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + N(7); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + N(x); });
#endif
