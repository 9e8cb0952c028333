//! residua: the two sides have different shapes
//! block "b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + up(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(x)); });
#endif

// A block that had its message is silent here too.
static_assert(is<"I + J_down J_up">(jacobian(b)));
static_assert(is<"J_down D_up.weight">(jacobian(b, by_parameter<"up.weight">)));
static_assert(is<"direct">(identity_route(b)));
