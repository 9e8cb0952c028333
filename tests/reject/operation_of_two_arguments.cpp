//! residua: an operation is applied to one expression
//! block "b"
//! operation_of_two_arguments.cpp:9
//! the operation "F"
//! given: several
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x, x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif
