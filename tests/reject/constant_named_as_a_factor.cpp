//! residua: the name of a scalar reads as a factor of the Jacobian
//! block "b"
//! constant_named_as_a_factor.cpp:8
//! name "J_N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + constant<"J_N">(2) * F(N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + constant<"c">(2) * F(N(x)); });
#endif
