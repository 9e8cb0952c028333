//! residua: a name must be an identifier and no C++ keyword
//! block "b"
//! constant_with_a_bad_name.cpp:8
//! name "a + b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + constant<"a + b">(3) * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + constant<"c">(3) * F(x); });
#endif
