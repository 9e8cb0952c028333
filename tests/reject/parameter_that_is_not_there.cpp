//! residua: the block has no parameter of this path
//! in block "b"
//! given: F.weight
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
static_assert(is<"J_F.down">(jacobian(b, by_parameter<"F.weight">)));
#else
static_assert(is<"D_F.down.weight">(jacobian(b, by_parameter<"F.down.weight">)));
#endif
