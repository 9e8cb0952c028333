#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

struct qwen3_dimensions {
  std::int64_t width = 4096, heads = 32, kv_heads = 8, head_width = 128, hidden = 12288;
  int layers = 36;
  double epsilon = 1e-6, rope_base = 1e6;
};
inline constexpr qwen3_dimensions qwen3_0_6b{.width = 1024, .heads = 16, .hidden = 3072, .layers = 28};
inline constexpr qwen3_dimensions qwen3_1_7b{.width = 2048, .heads = 16, .hidden = 6144, .layers = 28};
inline constexpr qwen3_dimensions qwen3_4b{.width = 2560, .hidden = 9728};
inline constexpr qwen3_dimensions qwen3_8b;
inline constexpr qwen3_dimensions qwen3_14b{.width = 5120, .heads = 40, .hidden = 17408, .layers = 40};
inline constexpr qwen3_dimensions qwen3_32b{.width = 5120, .heads = 64, .hidden = 25600, .layers = 64};

/// Qwen3: u = x + self_attn(N1(x)), y = u + mlp(N2(u)), mlp(z) = down(silu(gate(z)) .* up(z)); queries and keys normalised
/// head by head before they are rotated; after the last layer norm. (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: Yang et al. 2025, 2505.09388.
template <qwen3_dimensions D = qwen3_8b>
struct qwen3 {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto input_layernorm = rms_norm<"input_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto post_attention_layernorm = rms_norm<"post_attention_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto final_norm = rms_norm<"norm">(d, epsilon<D.epsilon>);
  static constexpr auto self_attn = attention<"self_attn">(
      d, heads<D.heads>, kv_heads<D.kv_heads>, head_width<D.head_width>, causal, qk_norm<norm::rms>(epsilon<D.epsilon>),
      rope(half_split, rope_base<D.rope_base>), projections<"q_proj", "k_proj", "v_proj", "o_proj">);
  static constexpr auto mlp = branch<"mlp">(
      [](auto z) { return linear<"down_proj">(h, d)(hadamard(silu(linear<"gate_proj">(d, h)(z)), linear<"up_proj">(d, h)(z))); });

  static constexpr auto layer = block<"qwen3_layer">(stream(B, T, d), [](auto x) {
    auto u = x + self_attn(input_layernorm(x));
    return u + mlp(post_attention_layernorm(u));
  });

  static constexpr auto layers() { return stack<"layers", D.layers>(layer); }
  static constexpr auto model() { return block<"qwen3">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
