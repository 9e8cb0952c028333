//! residua: the name of a scalar reads as a factor of the Jacobian
//! block "b"
//! scalar_named_as_a_factor.cpp:8
//! name "I"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + learned_scalar<"I"> * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + learned_scalar<"alpha"> * F(x); });
#endif
