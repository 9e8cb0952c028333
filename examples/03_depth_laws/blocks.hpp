#pragma once
#include <residua/dsl.hpp>

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;  // extents chosen at run time
inline constexpr axis<"T"> T;
inline constexpr axis<"d", 128> d;

// The setting of Xiong et al. 2020, 2002.04745: one head, which the weights make uniform, a hidden layer as wide as the stream,
// norms without gains, no biases. One layer is one block; a stack is its kernel, applied with other weights each time.
inline constexpr auto N = layer_norm<"N">(d, no_affine);
inline constexpr auto A = attention<"A">(d, heads<1>);
inline constexpr auto M = branch<"M">(linear<"up">(d, d) | relu | linear<"down">(d, d));

inline constexpr auto pre = block<"pre">(stream(B, T, d), [](auto x) {
  auto u = x + A(N(x));
  return u + M(N(u));
});
inline constexpr auto post = block<"post">(stream(B, T, d), [](auto x) {
  auto u = N(x + A(x));
  return N(u + M(u));
});
inline constexpr auto peri = block<"peri">(stream(B, T, d), [](auto x) {
  auto u = x + N(A(N(x)));
  return u + N(M(N(u)));
});
inline constexpr auto res_post = block<"res_post">(stream(B, T, d), [](auto x) {
  auto u = x + N(A(x));
  return u + N(M(u));
});
/// alpha depends on the depth of the stack, which a kernel of one layer does not know: it is given as a parameter.
inline constexpr auto deep_norm = block<"deep_norm">(stream(B, T, d), [](auto x) {
  auto u = N(learned_scalar<"alpha"> * x + A(x));
  return N(learned_scalar<"alpha"> * u + M(u));
});
/// LayerNorm scaling: lambda is 1 / sqrt(number of the layer).
inline constexpr auto lns = block<"lns">(stream(B, T, d), [](auto x) {
  auto u = x + A(learned_scalar<"lambda"> * N(x));
  return u + M(learned_scalar<"lambda"> * N(u));
});
inline constexpr auto layer_scale = block<"layer_scale">(stream(B, T, d), [](auto x) {
  auto u = x + learned_vector<"gamma1">(d) * A(N(x));
  return u + learned_vector<"gamma2">(d) * M(N(u));
});
/// What stands above the last layer where the layers do not end in a norm.
inline constexpr auto final_norm = block<"final_norm">(stream(B, T, d), [](auto x) { return N(x); });

static_assert(is<"(I + J_M J_N) (I + J_A J_N)">(jacobian(pre)));
static_assert(is<"J_N (I + J_M) J_N (I + J_A)">(jacobian(post)));
static_assert(is<"(I + J_N J_M J_N) (I + J_N J_A J_N)">(jacobian(peri)));
static_assert(is<"(I + J_N J_M) (I + J_N J_A)">(jacobian(res_post)));
static_assert(is<"J_N (alpha I + J_M) J_N (alpha I + J_A)">(jacobian(deep_norm)));
static_assert(is<"(I + lambda J_M J_N) (I + lambda J_A J_N)">(jacobian(lns)));
static_assert(is<"(I + diag(gamma2) J_M J_N) (I + diag(gamma1) J_A J_N)">(jacobian(layer_scale)));
}  // namespace blocks
