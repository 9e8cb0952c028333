//! residua: the identity route is not the expected one
//! in block "post_norm"
//! expected: direct
//! found: through: J_N
#include "common.hpp"

inline constexpr auto post_norm = block<"post_norm">(stream(B, T, d), [](auto x) { return N(x + F(x)); });

#ifdef WRONG
static_assert(is<"direct">(identity_route(post_norm)));
#else
static_assert(is<"through">(identity_route(post_norm)));
static_assert(is<"through: J_N">(identity_route(post_norm)));
#endif
