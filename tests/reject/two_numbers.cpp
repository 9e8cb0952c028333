//! residua: one name stands for two numbers
//! block "b"
//! two_numbers.cpp:9
//! name "a"
//! first at two_numbers.cpp:9
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return constant<"a">(2) * x + constant<"a">(3) * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return constant<"a">(2) * x + constant<"b">(3) * F(x); });
#endif
