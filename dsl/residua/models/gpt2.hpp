#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

struct gpt2_dimensions {
  std::int64_t width = 768, heads = 12, hidden = 3072;
  int layers = 12;
  double epsilon = 1e-5;
};
inline constexpr gpt2_dimensions gpt2_small;
inline constexpr gpt2_dimensions gpt2_medium{.width = 1024, .heads = 16, .hidden = 4096, .layers = 24};
inline constexpr gpt2_dimensions gpt2_large{.width = 1280, .heads = 20, .hidden = 5120, .layers = 36};
inline constexpr gpt2_dimensions gpt2_xl{.width = 1600, .heads = 25, .hidden = 6400, .layers = 48};

/// GPT-2: u = x + attn(ln_1(x)), y = u + mlp(ln_2(u)); after the last layer ln_f. (B, T, d) -> (B, T, d)
/// Names: openai/gpt-2 and Hugging Face, whose weights are stored (in, out) as here. Source: Radford et al. 2019.
template <gpt2_dimensions D = gpt2_small>
struct gpt2 {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto ln_1 = layer_norm<"ln_1">(d, epsilon<D.epsilon>);
  static constexpr auto ln_2 = layer_norm<"ln_2">(d, epsilon<D.epsilon>);
  static constexpr auto ln_f = layer_norm<"ln_f">(d, epsilon<D.epsilon>);
  static constexpr auto attn =
      attention<"attn">(d, heads<D.heads>, causal, fused_qkv, with_bias, projections<"q", "k", "v", "c_proj", "c_attn">);
  static constexpr auto mlp = branch<"mlp">(linear<"c_fc">(d, h, with_bias) | gelu_tanh | linear<"c_proj">(h, d, with_bias));

  static constexpr auto layer = block<"gpt2_layer">(stream(B, T, d), [](auto x) {
    auto u = x + attn(ln_1(x));
    return u + mlp(ln_2(u));
  });

  static constexpr auto layers() { return stack<"h", D.layers>(layer); }
  static constexpr auto model() { return block<"gpt2">(stream(B, T, d), layers() | ln_f); }
};

}  // namespace residua::models
