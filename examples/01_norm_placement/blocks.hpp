#pragma once
#include <residua/dsl.hpp>

// One block with its norms before the branches, and the same block with its norms after the additions.
namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"d", 6> d;
inline constexpr axis<"h", 12> h;

inline constexpr auto N = layer_norm<"N">(d, no_affine, epsilon<1e-5>);
inline constexpr auto A = branch<"A">(linear<"W">(d, d));
inline constexpr auto M = branch<"M">(linear<"up">(d, h) | tanh | linear<"down">(h, d));

inline constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto u = x + A(N(x));
  return u + M(N(u));
});
inline constexpr auto post_norm = block<"post_norm">(stream(B, T, d), [](auto x) {
  auto u = N(x + A(x));
  return N(u + M(u));
});

static_assert(jacobian(pre_norm) == "(I + J_M J_N) (I + J_A J_N)");
static_assert(jacobian(post_norm) == "J_N (I + J_M) J_N (I + J_A)");
static_assert(identity_route(pre_norm) == route::direct);
static_assert(identity_route(post_norm) == route::through);
static_assert(identity_route(post_norm).norms == 2);
}  // namespace blocks
