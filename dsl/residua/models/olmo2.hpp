#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

struct olmo2_dimensions {
  std::int64_t width = 4096, heads = 32, kv_heads = 32, hidden = 11008;
  int layers = 32;
  double epsilon = 1e-6, rope_base = 5e5;
};
inline constexpr olmo2_dimensions olmo2_7b;
inline constexpr olmo2_dimensions olmo2_13b{.width = 5120, .heads = 40, .kv_heads = 40, .hidden = 13824, .layers = 40};

/// OLMo 2: u = x + N1(self_attn(x)), y = u + N2(mlp(u)), mlp(z) = down(silu(gate(z)) .* up(z)); queries and keys normalised
/// over all heads before they are rotated; after the last layer norm. (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: OLMo Team 2024, 2501.00656.
template <olmo2_dimensions D = olmo2_7b>
struct olmo2 {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto post_attention_layernorm = rms_norm<"post_attention_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto post_feedforward_layernorm = rms_norm<"post_feedforward_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto final_norm = rms_norm<"norm">(d, epsilon<D.epsilon>);
  static constexpr auto self_attn = attention<"self_attn">(
      d, heads<D.heads>, kv_heads<D.kv_heads>, causal, qk_norm<norm::rms>(across_heads, epsilon<D.epsilon>),
      rope(half_split, rope_base<D.rope_base>), projections<"q_proj", "k_proj", "v_proj", "o_proj">);
  static constexpr auto mlp = branch<"mlp">(
      [](auto z) { return linear<"down_proj">(h, d)(hadamard(silu(linear<"gate_proj">(d, h)(z)), linear<"up_proj">(d, h)(z))); });

  static constexpr auto layer = block<"olmo2_layer">(stream(B, T, d), [](auto x) {
    auto u = x + post_attention_layernorm(self_attn(x));
    return u + post_feedforward_layernorm(mlp(u));
  });

  static constexpr auto layers() { return stack<"layers", D.layers>(layer); }
  static constexpr auto model() { return block<"olmo2">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
