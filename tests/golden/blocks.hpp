#pragma once
#include <residua/dsl.hpp>

namespace golden {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"d", 8> d;
inline constexpr axis<"h", 12> h;
inline constexpr axis<"w"> w;

/// A little of everything that a block without attention has: norms, a gate, an epilogue, a learned scalar, a shared value.
inline constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto z = layer_norm<"N">(d)(x);
  auto f = branch<"F">([](auto y) {
    return linear<"down">(h, d, with_bias)(hadamard(silu(linear<"gate">(d, h)(y)), linear<"up">(d, h, with_bias)(y)));
  })(z);
  return x + learned_scalar<"alpha"> * f;
});

/// Attention with rotations and norms per head, a memory, and a width that is chosen at run time.
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) {
  auto u = x + attention<"self">(d, heads<2>, causal, rope, qk_norm<norm::rms>())(rms_norm<"n1">(d)(x));
  auto z = u + attention<"cross">(d, heads<2>, cross)(rms_norm<"n2">(d)(u), memory);
  return z + branch<"F">(linear<"up">(d, w, with_bias) | gelu_tanh | linear<"down">(w, d))(rms_norm<"n3">(d)(z));
});

/// Three equal layers, which run as one.
inline constexpr auto layers = stack<"h", 3>(block<"layer">(stream(B, T, d), [](auto x) {
  auto u = x + attention<"attn">(d, heads<2>, causal, fused_qkv, with_bias)(layer_norm<"ln_1">(d)(x));
  return u + branch<"mlp">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d))(layer_norm<"ln_2">(d)(u));
}));

/// Two streams through equal layers, which run as one.
inline constexpr auto two_streams =
    stack<"h", 3>(block<"residual">(streams(stream(B, T, d), stream<"r">(B, T, d)), [](auto x, auto r) {
      auto f = attention<"attn">(d, heads<2>, causal)(x);
      auto u = rms_norm<"n1">(d)(x + f);
      auto g = branch<"mlp">(linear<"up">(d, h) | silu | linear<"down">(h, d))(u);
      return streams(rms_norm<"n2">(d)(u + g), r + f + learned_scalar<"s"> * g);
    }));

/// Names that emitted code has uses for itself, or nearly: they are the block's all the same.
inline constexpr auto names = block<"names">(stream(B, T, d), [](auto x) {
  auto y = linear<"token_type">(d, d)(linear<"token">(d, d)(x)) + linear<"rt">(d, d)(linear<"parts">(d, d)(x));
  auto z = learned_vector<"F_weight_transposed">(d) * linear<"F">(d, d)(linear<"F_">(d, d)(y));
  auto v = linear<"N.N_">(d, d)(linear<"e">(d, d)(linear<"t">(d, d)(linear<"unix_">(d, d)(z))));
  return layer_norm<"h.ln_f">(d)(
      stack<"h", 2>(block<"part">(stream(B, T, d), [](auto u) { return u + linear<"head">(d, d)(u); }))(x + v));
});
}  // namespace golden
