//! residua: the Jacobian is not the expected one
//! in block "b"
//! expected: J_N (I + J_F)
//! found: I + J_F J_N
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
static_assert(is<"J_N (I + J_F)">(jacobian(b)));
#else
static_assert(is<"I + J_F J_N">(jacobian(b)));
#endif
