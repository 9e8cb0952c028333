#pragma once
#include <residua/dsl.hpp>

// Blocks with attention: every mask, position and grouping, in blocks as models have them.
namespace attention_blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"d", 12> d;
inline constexpr axis<"c", 15> c;
inline constexpr axis<"e", 10> e;
inline constexpr axis<"h", 20> h;
inline constexpr axis<"r"> r;  // chosen at run time

template <text Name, class In, class Hidden>
constexpr auto mlp(In in, Hidden hidden) {
  return branch<Name>(linear<"up">(in, hidden, with_bias) | gelu_tanh | linear<"down">(hidden, in, with_bias));
}
inline constexpr auto M = mlp<"M">(d, h);

/// GPT-2's block.
inline constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto u = x + attention<"A">(d, heads<3>, causal, fused_qkv, with_bias)(layer_norm<"N1">(d)(x));
  return u + M(layer_norm<"N2">(d)(u));
});
/// BERT's block, odd head width.
inline constexpr auto post_norm = block<"post_norm">(stream(B, T, c), [](auto x) {
  auto u = layer_norm<"N1">(c)(x + attention<"A">(c, heads<3>, bidirectional, with_bias)(x));
  return layer_norm<"N2">(c)(u + mlp<"M">(c, h)(u));
});
/// One norm for both branches; rotations of a part of the channels.
inline constexpr auto parallel = block<"parallel">(stream(B, T, d), [](auto x) {
  auto z = rms_norm<"N">(d)(x);
  return x + attention<"A">(d, heads<2>, causal, rope(interleaved, rotary_width<4>))(z) + M(z);
});
/// Grouped heads of their own width, norms of heads, llama-3 frequencies, a window.
inline constexpr auto grouped = block<"grouped">(stream(B, T, d), [](auto x) {
  return x + attention<"A">(d, heads<4>, kv_heads<2>, head_width<6>, causal, sliding_window<5>, qk_norm<norm::rms>(epsilon<1e-6>),
                            rope(rope_base<5e5>, llama3_scaling<8>))(rms_norm<"N">(d, unit_offset)(x));
});
/// One key head, soft cap, scale, ALiBi; a norm after the branch.
inline constexpr auto capped = block<"capped">(stream(B, T, d), [](auto x) {
  return x + rms_norm<"N">(d)(attention<"A">(d, heads<3>, kv_heads<1>, head_width<5>, causal, softcap<2>, softmax_scale<0.7>,
                                             alibi, qk_norm<norm::layer>(), q_bias, o_bias)(x));
});
/// A window that looks both ways; the norm of all heads together.
inline constexpr auto local = block<"local">(stream(B, T, d), [](auto x) {
  return x + attention<"A">(d, heads<2>, sliding_window<4>, qk_norm<norm::rms>(across_heads), k_bias, v_bias)(x);
});
/// A decoder: self-attention, then attention to a memory of another width.
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  auto u = layer_norm<"N1">(d)(x + attention<"A">(d, heads<3>, causal)(x));
  auto w = layer_norm<"N2">(d)(u + attention<"X">(d, heads<2>, cross(e), with_bias)(u, layer_norm<"N">(e)(memory)));
  return layer_norm<"N3">(d)(w + M(w));
});
/// Attention to a memory over the stream's own axes, with everything that depends on positions.
inline constexpr auto aligned = block<"aligned">(stream(B, T, d), stream(B, T, d), [](auto x, auto memory) {
  auto u = x + attention<"A">(d, heads<2>, causal, sliding_window<3>, rope)(x);
  auto v = u + attention<"X">(d, heads<2>, cross, causal, alibi, rope)(u, memory);
  return v + attention<"Y">(d, heads<3>, cross, sliding_window<4>)(v, memory + attention<"Z">(d, heads<2>)(memory));
});
/// A condition for each sequence (adaLN-Zero), read as it is and through linear maps, beside an attention.
inline constexpr axis<"each", 1> each;
inline constexpr auto conditioned = block<"conditioned">(stream(B, T, d), stream(B, each, d), [](auto x, auto memory) {
  auto of = [&](auto linear) { return at_each_token(linear(silu(memory)), x); };
  auto z = hadamard(1 + of(linear<"scale">(d, d)), layer_norm<"N">(d, no_affine)(x)) + of(linear<"shift">(d, d, with_bias));
  return x + hadamard(at_each_token(memory, x), attention<"A">(d, heads<3>, causal)(z));
});
inline constexpr auto conditioned_twice = stack<"h", 2>(conditioned);
/// Two layers; the second attends to what the first made of all tokens.
inline constexpr auto layers = stack<"h", 2>(pre_norm);
inline constexpr auto decoders = stack<"h", 2>(decoder);
/// A memory that nothing is made of: its gradient is zero.
inline constexpr auto unread = block<"unread">(stream(B, T, d), stream(B, S, e), [](auto x, auto) { return x + M(x); });
/// One sequence, width chosen at run time, the same weights twice.
inline constexpr auto shared = block<"shared">(stream(T, r), [](auto x) {
  auto A = attention<"A">(r, heads<2>, head_width<4>, causal);
  auto u = x + A(x);
  return u + A(layer_norm<"N">(r)(u));
});

static_assert(is<"J_N3 (I + J_M) J_N2 (I + J_X) J_N1 (I + J_A)">(jacobian(decoder)));
static_assert(is<"J_N3 (I + J_M) J_N2 J_X.memory J_N">(jacobian(decoder, by_memory)));
static_assert(jacobian(pre_norm) == "(I + J_M J_N2) (I + J_A J_N1)");
static_assert(jacobian(parallel) == "I + (J_A + J_M) J_N");
static_assert(identity_route(pre_norm) == route::direct);
static_assert(jacobian(pre_norm, "A.qkv.weight") ==
              "(I + J_M J_N2) J_A.o (Q_A S_queries + K_A S_keys + P_A S_values) D_A.qkv.weight");
}  // namespace attention_blocks
