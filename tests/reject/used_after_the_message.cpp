//! residua: the two sides have different shapes
//! block "b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + up(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif

// A block that had its message says nothing more, whatever is asked of it.
static_assert(jacobian(b) == "I + J_F");
static_assert(jacobian(b, "F.up.weight") == "J_F.down diag(gelu_tanh') D_F.up.weight");
static_assert(identity_route(b) == route::direct && identity_route(b).norms == 0);
inline constexpr auto twice = block<"twice">(stream(B, T, d), [](auto x) { return b(b(x)); });
inline constexpr auto deep = stack<"h", 2>(b);
static_assert(identity_route(twice) == route::direct && identity_route(deep) == route::direct);
static_assert(b.view().name == "b" && twice.view().name == "twice");
