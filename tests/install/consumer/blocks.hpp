#pragma once
// listing 1
#include <residua/dsl.hpp>

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;            // extent chosen at run time
inline constexpr axis<"T"> T;            // extent chosen at run time
inline constexpr axis<"d", 768> d;       // extent fixed at compile time
inline constexpr axis<"h", 3072> h;

inline constexpr auto N = layer_norm<"N">(d);
inline constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias));

inline constexpr auto pre_norm  = block<"pre_norm">(stream(B, T, d),  [](auto x) { return x + F(N(x)); });
inline constexpr auto post_norm = block<"post_norm">(stream(B, T, d), [](auto x) { return N(x + F(x)); });

static_assert(is<"I + J_F J_N">(jacobian(pre_norm)));
static_assert(is<"J_N (I + J_F)">(jacobian(post_norm)));
static_assert(is<"direct">(identity_route(pre_norm)));
}
// end
