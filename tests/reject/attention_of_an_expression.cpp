//! residua: an operation is made of axes first, and then applied to an expression
//! block "b"
//! attention_of_an_expression.cpp:8
//! made as: attention<"A">(axis, ...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attention<"A">(d, x, heads<12>); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attention<"A">(d, heads<12>)(x); });
#endif
