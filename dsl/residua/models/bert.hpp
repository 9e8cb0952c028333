#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// Hugging Face computes the exact GELU, google-research/bert the tanh.
struct bert_dimensions {
  std::int64_t width = 768, heads = 12, hidden = 3072;
  int layers = 12;
  double epsilon = 1e-12;
  gelu activation = gelu::erf;
};
inline constexpr bert_dimensions bert_base;
inline constexpr bert_dimensions bert_large{.width = 1024, .heads = 16, .hidden = 4096, .layers = 24};

/// BERT: u = N1(x + A(x)), y = N2(u + output(gelu(intermediate(u)))). (B, T, d) -> (B, T, d)
/// Names: Hugging Face; its weights are (out, in), transposed. Source: Devlin et al. 2018, 1810.04805.
template <bert_dimensions D = bert_base>
struct bert {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr auto attends = attention<"attention">(d, heads<D.heads>, bidirectional, with_bias,
                                                         projections<"self.query", "self.key", "self.value", "output.dense">);
  static constexpr auto attention_norm = layer_norm<"attention.output.LayerNorm">(d, epsilon<D.epsilon>);
  static constexpr auto feed_forward = linear<"intermediate.dense">(d, h, with_bias) | detail::activation<D.activation>() |
                                       linear<"output.dense">(h, d, with_bias);
  static constexpr auto output_norm = layer_norm<"output.LayerNorm">(d, epsilon<D.epsilon>);

  static constexpr auto layer = block<"bert_layer">(stream(B, T, d), [](auto x) {
    auto u = attention_norm(x + attends(x));
    return output_norm(u + feed_forward(u));
  });

  static constexpr auto layers() { return stack<"layer", D.layers>(layer); }
  static constexpr auto model() { return block<"bert">(stream(B, T, d), layers()); }
};

}  // namespace residua::models
