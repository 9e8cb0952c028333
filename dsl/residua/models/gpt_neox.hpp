#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// Hugging Face computes the exact GELU, the original's fused kernel the tanh. rotary_width: a quarter of the head width.
struct gpt_neox_dimensions {
  std::int64_t width = 6144, heads = 64, hidden = 24576, rotary_width = 24;
  int layers = 44;
  double epsilon = 1e-5;
  gelu activation = gelu::erf;
};
inline constexpr gpt_neox_dimensions gpt_neox_20b;
inline constexpr gpt_neox_dimensions pythia_70m{.width = 512, .heads = 8, .hidden = 2048, .rotary_width = 16, .layers = 6};
inline constexpr gpt_neox_dimensions pythia_160m{.width = 768, .heads = 12, .hidden = 3072, .rotary_width = 16, .layers = 12};
inline constexpr gpt_neox_dimensions pythia_410m{.width = 1024, .heads = 16, .hidden = 4096, .rotary_width = 16, .layers = 24};
inline constexpr gpt_neox_dimensions pythia_1b{.width = 2048, .heads = 8, .hidden = 8192, .rotary_width = 64, .layers = 16};
inline constexpr gpt_neox_dimensions pythia_1_4b{.width = 2048, .heads = 16, .hidden = 8192, .rotary_width = 32, .layers = 24};
inline constexpr gpt_neox_dimensions pythia_2_8b{.width = 2560, .heads = 32, .hidden = 10240, .rotary_width = 20, .layers = 32};
inline constexpr gpt_neox_dimensions pythia_6_9b{.width = 4096, .heads = 32, .hidden = 16384, .rotary_width = 32, .layers = 32};
inline constexpr gpt_neox_dimensions pythia_12b{.width = 5120, .heads = 40, .hidden = 20480, .rotary_width = 32, .layers = 36};

/// GPT-NeoX and Pythia: y = x + attention(N1(x)) + mlp(N2(x)); after the last layer final_layer_norm. (B, T, d) -> (B, T, d)
/// Names: Hugging Face, but its attention.query_key_value is three here, attention.query, key and value; its weights are
/// (out, in), transposed. Source: Black et al. 2022, 2204.06745.
template <gpt_neox_dimensions D = gpt_neox_20b>
struct gpt_neox {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto input_layernorm = layer_norm<"input_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto post_attention_layernorm = layer_norm<"post_attention_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto final_layer_norm = layer_norm<"final_layer_norm">(d, epsilon<D.epsilon>);
  static constexpr auto attends =
      attention<"attention">(d, heads<D.heads>, causal, with_bias, rope(half_split, rotary_width<D.rotary_width>),
                             projections<"query", "key", "value", "dense">);
  static constexpr auto mlp = branch<"mlp">(linear<"dense_h_to_4h">(d, h, with_bias) | detail::activation<D.activation>() |
                                            linear<"dense_4h_to_h">(h, d, with_bias));

  static constexpr auto layer = block<"gpt_neox_layer">(
      stream(B, T, d), [](auto x) { return x + attends(input_layernorm(x)) + mlp(post_attention_layernorm(x)); });

  static constexpr auto layers() { return stack<"layers", D.layers>(layer); }
  static constexpr auto model() { return block<"gpt_neox">(stream(B, T, d), layers() | final_layer_norm); }
};

}  // namespace residua::models
