#pragma once
#include <residua/dsl.hpp>

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;  // extents chosen at run time
inline constexpr axis<"T"> T;
inline constexpr axis<"d", 768> d;
inline constexpr axis<"hidden", 3072> hidden;

// Names and layouts of the published model: its h.0.attn.c_attn.weight is attn.c_attn.weight here, stored (in, out) there too.
inline constexpr auto ln_1 = layer_norm<"ln_1">(d, epsilon<1e-5>);
inline constexpr auto ln_2 = layer_norm<"ln_2">(d, epsilon<1e-5>);
inline constexpr auto attn =
    attention<"attn">(d, heads<12>, causal, fused_qkv, with_bias, projections<"q", "k", "v", "c_proj", "c_attn">);
inline constexpr auto mlp =
    branch<"mlp">(linear<"c_fc">(d, hidden, with_bias) | gelu_tanh | linear<"c_proj">(hidden, d, with_bias));

/// GPT-2's block (Radford et al. 2019): norms before the branches.
inline constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto u = x + attn(ln_1(x));
  return u + mlp(ln_2(u));
});
/// Its twin with the norms after the additions, as in GPT-1.
inline constexpr auto post_norm = block<"post_norm">(stream(B, T, d), [](auto x) {
  auto u = ln_1(x + attn(x));
  return ln_2(u + mlp(u));
});

static_assert(jacobian(pre_norm) == "(I + J_mlp J_ln_2) (I + J_attn J_ln_1)");
static_assert(jacobian(post_norm) == "J_ln_2 (I + J_mlp) J_ln_1 (I + J_attn)");
static_assert(identity_route(pre_norm) == route::direct);
static_assert(identity_route(post_norm) == route::through);
static_assert(identity_route(post_norm).norms == 2);
}  // namespace blocks
