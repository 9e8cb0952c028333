#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// window: of the local layers, the even ones. scores are scaled by query_scale^-1/2; 0: by head_width^-1/2.
struct gemma2_dimensions {
  std::int64_t width = 2304, heads = 8, kv_heads = 4, head_width = 256, hidden = 9216, window = 4096;
  int layers = 26;
  double epsilon = 1e-6, rope_base = 1e4, query_scale = 0, score_cap = 50;
};
inline constexpr gemma2_dimensions gemma2_2b;
inline constexpr gemma2_dimensions gemma2_9b{.width = 3584, .heads = 16, .kv_heads = 8, .hidden = 14336, .layers = 42};
inline constexpr gemma2_dimensions gemma2_27b{
    .width = 4608, .heads = 32, .kv_heads = 16, .head_width = 128, .hidden = 36864, .layers = 46, .query_scale = 144};

/// Gemma 2: u = x + N2(self_attn(N1(x))), y = u + N4(mlp(N3(u))), mlp(z) = down(gelu_tanh(gate(z)) .* up(z)), gains 1 + w;
/// layers 0, 2, ... attend to a window, the others to all tokens; after the last layer norm. (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: Gemma Team 2024, 2408.00118.
template <gemma2_dimensions D = gemma2_2b>
struct gemma2 {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr double scale = 1 / square_root(D.query_scale == 0 ? static_cast<double>(D.head_width) : D.query_scale);
  template <text Name>
  static constexpr auto normed = rms_norm<Name>(d, unit_offset, epsilon<D.epsilon>);
  static constexpr auto final_norm = normed<"norm">;
  template <std::int64_t Window>
  static constexpr auto self_attn =
      attention<"self_attn">(d, heads<D.heads>, kv_heads<D.kv_heads>, head_width<D.head_width>, causal,
                             detail::causal_window<Window>(), softcap<D.score_cap>, softmax_scale<scale>,
                             rope(half_split, rope_base<D.rope_base>), projections<"q_proj", "k_proj", "v_proj", "o_proj">);
  static constexpr auto mlp = branch<"mlp">([](auto z) {
    return linear<"down_proj">(h, d)(hadamard(gelu_tanh(linear<"gate_proj">(d, h)(z)), linear<"up_proj">(d, h)(z)));
  });
  static constexpr auto feed_forward(auto u) {
    return normed<"post_feedforward_layernorm">(mlp(normed<"pre_feedforward_layernorm">(u)));
  }

  static constexpr auto local_layer = block<"gemma2_local_layer">(stream(B, T, d), [](auto x) {
    auto u = x + normed<"post_attention_layernorm">(self_attn<D.window>(normed<"input_layernorm">(x)));
    return u + feed_forward(u);
  });
  static constexpr auto global_layer = block<"gemma2_global_layer">(stream(B, T, d), [](auto x) {
    auto u = x + normed<"post_attention_layernorm">(self_attn<0>(normed<"input_layernorm">(x)));
    return u + feed_forward(u);
  });
  static constexpr auto layer = local_layer;  // the first

  static constexpr auto layers() {
    return stack<"layers", D.layers>([](auto index) {
      if constexpr (index % 2 == 0) return local_layer;
      else return global_layer;
    });
  }
  static constexpr auto model() { return block<"gemma2">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
