//! residua: is<"..."> takes a jacobian(...) or an identity_route(...)
//! given: a path that no type knows
//! write by_parameter<"...">
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
static_assert(is<"J_F D_N.bias">(jacobian(b, "N.bias")));
#else
static_assert(is<"J_F D_N.bias">(jacobian(b, by_parameter<"N.bias">)));
#endif
