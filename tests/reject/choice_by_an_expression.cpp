//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! choice_by_an_expression.cpp:8
//! in a condition
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return F(x) ? x : N(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
