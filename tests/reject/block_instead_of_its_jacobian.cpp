//! residua: is<"..."> takes a jacobian(...) or an identity_route(...)
//! given: the block "b"
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
static_assert(is<"I + J_F J_N">(b));
#else
static_assert(is<"I + J_F J_N">(jacobian(b)));
#endif
