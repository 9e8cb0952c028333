//! residua: an expression can be divided by a number only
//! block "b"
//! quotient_of_expressions.cpp:8
//! operand of /
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x / F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x / 2; });
#endif
