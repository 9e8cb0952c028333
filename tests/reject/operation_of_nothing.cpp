//! residua: an operation is applied to one expression
//! block "b"
//! operation_of_nothing.cpp:9
//! the operation "F"
//! given: none
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif
