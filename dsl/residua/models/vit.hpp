#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// timm and Hugging Face compute the exact GELU, google-research/vision_transformer the tanh.
struct vit_dimensions {
  std::int64_t width = 768, heads = 12, hidden = 3072;
  int layers = 12;
  double epsilon = 1e-6;
  gelu activation = gelu::erf;
};
inline constexpr vit_dimensions vit_b;
inline constexpr vit_dimensions vit_l{.width = 1024, .heads = 16, .hidden = 4096, .layers = 24};
inline constexpr vit_dimensions vit_h{.width = 1280, .heads = 16, .hidden = 5120, .layers = 32};

/// The Vision Transformer: u = x + attn(norm1(x)), y = u + mlp(norm2(u)); after the last layer norm. (B, T, d) -> (B, T, d)
/// Names: timm; its weights are (out, in), transposed. Source: Dosovitskiy et al. 2020, 2010.11929.
template <vit_dimensions D = vit_b>
struct vit {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto norm1 = layer_norm<"norm1">(d, epsilon<D.epsilon>);
  static constexpr auto norm2 = layer_norm<"norm2">(d, epsilon<D.epsilon>);
  static constexpr auto final_norm = layer_norm<"norm">(d, epsilon<D.epsilon>);
  static constexpr auto attn =
      attention<"attn">(d, heads<D.heads>, bidirectional, fused_qkv, with_bias, projections<"q", "k", "v", "proj", "qkv">);
  static constexpr auto mlp =
      branch<"mlp">(linear<"fc1">(d, h, with_bias) | detail::activation<D.activation>() | linear<"fc2">(h, d, with_bias));

  static constexpr auto layer = block<"vit_layer">(stream(B, T, d), [](auto x) {
    auto u = x + attn(norm1(x));
    return u + mlp(norm2(u));
  });

  static constexpr auto layers() { return stack<"blocks", D.layers>(layer); }
  static constexpr auto model() { return block<"vit">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
