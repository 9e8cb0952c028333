#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

struct gptj_dimensions {
  std::int64_t width = 4096, heads = 16, hidden = 16384, rotary_width = 64;
  int layers = 28;
  double epsilon = 1e-5;
};
inline constexpr gptj_dimensions gptj_6b;

/// GPT-J: z = ln_1(x), y = x + attn(z) + mlp(z); after the last layer ln_f. (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: Wang & Komatsuzaki 2021, mesh-transformer-jax.
template <gptj_dimensions D = gptj_6b>
struct gptj {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto ln_1 = layer_norm<"ln_1">(d, epsilon<D.epsilon>);
  static constexpr auto ln_f = layer_norm<"ln_f">(d, epsilon<D.epsilon>);
  static constexpr auto attn = attention<"attn">(d, heads<D.heads>, causal, rope(interleaved, rotary_width<D.rotary_width>),
                                                 projections<"q_proj", "k_proj", "v_proj", "out_proj">);
  static constexpr auto mlp = branch<"mlp">(linear<"fc_in">(d, h, with_bias) | gelu_tanh | linear<"fc_out">(h, d, with_bias));

  static constexpr auto layer = block<"gptj_layer">(stream(B, T, d), [](auto x) {
    auto z = ln_1(x);
    return x + attn(z) + mlp(z);
  });

  static constexpr auto layers() { return stack<"h", D.layers>(layer); }
  static constexpr auto model() { return block<"gptj">(stream(B, T, d), layers() | ln_f); }
};

}  // namespace residua::models
