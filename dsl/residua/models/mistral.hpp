#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// window: the last keys that a token attends to, its own included; 0: all (v0.2 and later).
struct mistral_dimensions {
  std::int64_t width = 4096, heads = 32, kv_heads = 8, hidden = 14336, window = 4096;
  int layers = 32;
  double epsilon = 1e-5, rope_base = 1e4;
};
inline constexpr mistral_dimensions mistral_7b;

/// Mistral: u = x + self_attn(N1(x)), y = u + mlp(N2(u)), mlp(z) = down(silu(gate(z)) .* up(z)); after the last layer norm.
/// (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: Jiang et al. 2023, 2310.06825.
template <mistral_dimensions D = mistral_7b>
struct mistral {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto input_layernorm = rms_norm<"input_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto post_attention_layernorm = rms_norm<"post_attention_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto final_norm = rms_norm<"norm">(d, epsilon<D.epsilon>);
  static constexpr auto self_attn =
      attention<"self_attn">(d, heads<D.heads>, kv_heads<D.kv_heads>, causal, detail::causal_window<D.window>(),
                             rope(half_split, rope_base<D.rope_base>), projections<"q_proj", "k_proj", "v_proj", "o_proj">);
  static constexpr auto mlp = branch<"mlp">(
      [](auto z) { return linear<"down_proj">(h, d)(hadamard(silu(linear<"gate_proj">(d, h)(z)), linear<"up_proj">(d, h)(z))); });

  static constexpr auto layer = block<"mistral_layer">(stream(B, T, d), [](auto x) {
    auto u = x + self_attn(input_layernorm(x));
    return u + mlp(post_attention_layernorm(u));
  });

  static constexpr auto layers() { return stack<"layers", D.layers>(layer); }
  static constexpr auto model() { return block<"mistral">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
