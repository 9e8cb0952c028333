//! residua: a name must be an identifier and no C++ keyword
//! block "b"
//! scalar_with_a_bad_name.cpp:8
//! name "new"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + learned_scalar<"new"> * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + learned_scalar<"alpha"> * F(x); });
#endif
