#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// fairseq: epsilon 1e-5; tensor2tensor: no biases in attention.
struct transformer_dimensions {
  std::int64_t width = 512, heads = 8, hidden = 2048;
  int encoder_layers = 6, decoder_layers = 6;
  double epsilon = 1e-6;
  bool attention_bias = true;
};
inline constexpr transformer_dimensions transformer_base;
inline constexpr transformer_dimensions transformer_big{.width = 1024, .heads = 16, .hidden = 4096};

/// The Transformer: encoder u = N1(x + A(x)), y = N2(u + fc2(relu(fc1(u)))); decoder u = N1(x + A(x)),
/// w = N2(u + X(u, memory)), y = N3(w + fc2(relu(fc1(w)))). (B, T, d) -> (B, T, d); memory: (B, S, d)
/// Names: fairseq; its weights are (out, in), transposed. Source: Vaswani et al. 2017, 1706.03762, section 3.1.
template <transformer_dimensions D = transformer_base>
struct transformer {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"S"> S{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  template <text Name, class... Options>
  static constexpr auto attends(Options... options) {
    return attention<Name>(d, heads<D.heads>, detail::bias<D.attention_bias>(),
                           projections<"q_proj", "k_proj", "v_proj", "out_proj">, options...);
  }
  static constexpr auto self_attn_layer_norm = layer_norm<"self_attn_layer_norm">(d, epsilon<D.epsilon>);
  static constexpr auto encoder_attn_layer_norm = layer_norm<"encoder_attn_layer_norm">(d, epsilon<D.epsilon>);
  static constexpr auto final_layer_norm = layer_norm<"final_layer_norm">(d, epsilon<D.epsilon>);
  static constexpr auto feed_forward = linear<"fc1">(d, h, with_bias) | relu | linear<"fc2">(h, d, with_bias);

  static constexpr auto encoder_layer = block<"transformer_encoder_layer">(stream(B, T, d), [](auto x) {
    auto u = self_attn_layer_norm(x + attends<"self_attn">(bidirectional)(x));
    return final_layer_norm(u + feed_forward(u));
  });

  static constexpr auto decoder_layer =
      block<"transformer_decoder_layer">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) {
        auto u = self_attn_layer_norm(x + attends<"self_attn">(causal)(x));
        auto w = encoder_attn_layer_norm(u + attends<"encoder_attn">(cross)(u, memory));
        return final_layer_norm(w + feed_forward(w));
      });

  static constexpr auto encoder_layers() { return stack<"layers", D.encoder_layers>(encoder_layer); }
  static constexpr auto decoder_layers() { return stack<"layers", D.decoder_layers>(decoder_layer); }
  static constexpr auto encoder() { return block<"transformer_encoder">(stream(B, T, d), encoder_layers()); }
  static constexpr auto decoder() { return block<"transformer_decoder">(stream(B, T, d), stream(B, S, d), decoder_layers()); }
};

}  // namespace residua::models
