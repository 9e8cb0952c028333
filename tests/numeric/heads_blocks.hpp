#pragma once
#include <residua/dsl.hpp>
#include <vector>

// Blocks that say attention by its parts: what stands between heads, projections and softmax, as published models have it.
namespace heads_blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"d", 12> d;
inline constexpr axis<"e", 10> e;
inline constexpr axis<"q", 16> q;   // four heads of width 4
inline constexpr axis<"kv", 8> kv;  // two

inline constexpr auto N = rms_norm<"N">(d);
inline constexpr auto to_q = linear<"q_proj">(d, q);
inline constexpr auto to_k = linear<"k_proj">(d, kv);
inline constexpr auto to_v = linear<"v_proj">(d, kv);
inline constexpr auto to_out = linear<"o_proj">(q, d);
inline constexpr auto A = attend<"A">(q, heads<4>, kv_heads<2>, causal);
inline constexpr auto Rq = rotary<"Rq">(q, heads<4>);
inline constexpr auto Rk = rotary<"Rk">(kv, heads<2>);

/// A norm between the heads and their projection (Sub-LN: Magneto, BitNet).
inline constexpr auto sub_norm = block<"sub_norm">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  return x + to_out(layer_norm<"Ns">(q)(A(Rq(to_q(n)), Rk(to_k(n)), to_v(n))));
});
/// A gate on each element of the heads (Qwen3-Next).
inline constexpr auto gated = block<"gated">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  return x + to_out(hadamard(A(to_q(n), to_k(n), to_v(n)), sigmoid(linear<"gate">(d, q)(n))));
});
/// The keys before their rotation are the values (Gemma 4's global layers).
inline constexpr auto keys_are_values = block<"keys_are_values">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  auto k = to_k(n);
  return x + to_out(A(Rq(to_q(n)), Rk(k), k));
});
/// Values normalised as queries and keys are, without gain (Gemma 3n); queries and keys with a gain of its own for each head
/// (Command R+): that of one more learned vector.
inline constexpr auto value_norm = block<"value_norm">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  auto queries = learned_vector<"q_norm.weight">(q) * layer_norm<"q_norm">(q, heads<4>, no_affine)(to_q(n));
  auto keys = rms_norm<"k_norm">(kv, heads<2>, unit_offset)(to_k(n));
  return x + to_out(A(queries, Rk(keys), rms_norm<"v_norm">(kv, heads<2>, no_affine)(to_v(n))));
});
/// No values' and no output projection, and no skip inside (simplified blocks).
inline constexpr auto simplified = block<"simplified">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  return x + attend<"A">(d, heads<3>, sliding_window<3>, causal)(linear<"q_proj">(d, d)(n), linear<"k_proj">(d, d)(n), n);
});
/// Queries, keys and values are the stream itself: no parameters at all.
inline constexpr auto bare = block<"bare">(stream(B, T, d), [](auto x) { return attend<"A">(d, heads<2>, alibi)(x, x, x); });
/// The difference of two attentions to the same values (DIFF Transformer), one key head each.
inline constexpr auto differential = block<"differential">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  auto v = linear<"v_proj">(d, q)(n);
  auto one = attend<"A1">(q, heads<2>, causal)(linear<"q1">(d, q)(n), linear<"k1">(d, q)(n), v);
  auto two = attend<"A2">(q, heads<2>, causal)(linear<"q2">(d, q)(n), linear<"k2">(d, q)(n), v);
  return x + to_out(one - learned_scalar<"lambda"> * two);
});
/// Values of every layer are mixed with those of the first (value residual).
inline constexpr auto value_residual = block<"value_residual">(stream(B, T, d), [](auto x) {
  std::vector<decltype(to_v(x))> first;
  layers<"h", 2>(x, [&](auto) {
    auto n = N(x);
    auto v = to_v(n);
    if (first.empty()) first.push_back(v);
    else v = learned_scalar<"own"> * v + learned_scalar<"first"> * first[0];
    x += to_out(A(Rq(to_q(n)), Rk(to_k(n)), v));
  });
  return x;
});
/// A gain behind the rotation (nGPT); pairs side by side, half of the channels.
inline constexpr auto gain_after = block<"gain_after">(stream(B, T, d), [](auto x) {
  auto R = rotary<"R">(q, heads<2>, interleaved, rotary_width<4>, rope_base<100>, llama3_scaling<8, 1, 4, 16>);
  auto s = learned_vector<"s">(q);
  auto turned = [&](auto w) { return s * R(w); };
  return x + to_out(attend<"A">(q, heads<2>, softmax_scale<0.7>, softcap<3>)(
                 turned(linear<"q_proj">(d, q)(x)), turned(linear<"k_proj">(d, q)(x)), linear<"v_proj">(d, q)(x)));
});
/// Keys and values of a memory.
inline constexpr auto across = block<"across">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  auto m = rms_norm<"Nm">(e)(memory);
  auto u = x + to_out(attend<"X">(q, heads<4>, kv_heads<2>, bidirectional, softcap<5>)(to_q(x), linear<"mk">(e, kv)(m),
                                                                                       linear<"mv">(e, kv)(m)));
  return u + linear<"o2">(q, d)(A(to_q(u), to_k(u), to_v(u)));
});

inline constexpr axis<"h", 7> h;
inline constexpr axis<"gate_up", 14> gate_up;
inline constexpr axis<"nope", 5> nope;
inline constexpr axis<"rot", 4> rot;
inline constexpr axis<"qk", 9> qk;
inline constexpr axis<"key_value", 16> key_value;
inline constexpr axis<"u", 6> u;

/// Gate and values in one projection.
inline constexpr auto packed_gate = block<"packed_gate">(stream(B, T, d), [](auto x) {
  auto both = linear<"gate_up">(d, gate_up, with_bias)(N(x));
  return x + linear<"down">(h, d)(hadamard(silu(part<0>(both, h)), part<7>(both, h)));
});
/// Channels with a position beside channels without (DeepSeek), of one head whose values are its keys.
inline constexpr auto beside = block<"beside">(stream(B, T, d), [](auto x) {
  auto n = N(x);
  auto R = rotary<"R">(rot, interleaved);
  auto query = concat(linear<"q_nope">(d, nope)(n), R(linear<"q_rot">(d, rot)(n)), qk);
  auto key = concat(linear<"k_nope">(d, nope)(n), R(linear<"k_rot">(d, rot)(n)), qk);
  return x + linear<"o">(qk, d)(attend<"A">(qk, heads<1>, causal)(query, key, key));
});
/// Two half streams that add to each other in turn (RevNet): their features are one stream's.
inline constexpr auto reversible = block<"reversible">(stream(B, T, d), [](auto x) {
  auto a = part<0>(x, u), b = part<6>(x, u);
  a += linear<"F">(u, u)(tanh(b));
  b += linear<"G">(u, u)(tanh(a));
  return concat(a, b, d);
});
/// What is selected twice gets both cotangents; a value of the call, and four values side by side, some of them the same.
inline constexpr auto overlapping = block<"overlapping">(stream(B, T, d), [](auto x) {
  auto left = part<0>(x, h), right = part<5>(x, h);
  auto inner = part<2>(x, nope);
  auto all = part(x, d);
  auto s = concat(hadamard(left, right), silu(inner), left, inner, axis<"s", 24>{});
  return all + linear<"W">(axis<"s", 24>{}, d)(s);
});
/// Keys and values packed in a memory as it comes.
inline constexpr auto packed_memory = block<"packed_memory">(stream(B, T, d), stream(B, S, key_value), [](auto x, auto memory) {
  return x + to_out(attend<"X">(q, heads<4>, kv_heads<2>)(to_q(x), part<0>(memory, kv), part<8>(memory, axis<"v", 8>{})));
});
}  // namespace heads_blocks
