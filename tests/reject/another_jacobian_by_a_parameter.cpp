//! residua: the Jacobian is not the expected one
//! in block "b"
//! expected: J_F.down D_F.up.weight
//! found: J_F.down diag(gelu_tanh
//! D_F.up.weight
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
static_assert(is<"J_F.down D_F.up.weight">(jacobian(b, by_parameter<"F.up.weight">)));
#else
static_assert(is<"J_F.down diag(gelu_tanh') D_F.up.weight">(jacobian(b, by_parameter<"F.up.weight">)));
#endif
