#pragma once
#include <residua/models/common.hpp>

namespace residua::models {

/// LLaMA 1: epsilon 1e-6. LLaMA 3.1 and later: rope_factor 8 or 32; 1: frequencies as they are.
struct llama_dimensions {
  std::int64_t width = 4096, heads = 32, kv_heads = 32, hidden = 11008;
  int layers = 32;
  double epsilon = 1e-5, rope_base = 1e4, rope_factor = 1;
};
inline constexpr llama_dimensions llama2_7b;
inline constexpr llama_dimensions llama2_13b{.width = 5120, .heads = 40, .kv_heads = 40, .hidden = 13824, .layers = 40};
inline constexpr llama_dimensions llama2_70b{.width = 8192, .heads = 64, .kv_heads = 8, .hidden = 28672, .layers = 80};
inline constexpr llama_dimensions llama3_8b{.kv_heads = 8, .hidden = 14336, .rope_base = 5e5};
inline constexpr llama_dimensions llama3_70b{
    .width = 8192, .heads = 64, .kv_heads = 8, .hidden = 28672, .layers = 80, .rope_base = 5e5};
inline constexpr llama_dimensions llama3_1_8b{.kv_heads = 8, .hidden = 14336, .rope_base = 5e5, .rope_factor = 8};
inline constexpr llama_dimensions llama3_1_70b{
    .width = 8192, .heads = 64, .kv_heads = 8, .hidden = 28672, .layers = 80, .rope_base = 5e5, .rope_factor = 8};
inline constexpr llama_dimensions llama3_1_405b{
    .width = 16384, .heads = 128, .kv_heads = 8, .hidden = 53248, .layers = 126, .rope_base = 5e5, .rope_factor = 8};
inline constexpr llama_dimensions llama3_2_1b{
    .width = 2048, .kv_heads = 8, .hidden = 8192, .layers = 16, .rope_base = 5e5, .rope_factor = 32};
inline constexpr llama_dimensions llama3_2_3b{
    .width = 3072, .heads = 24, .kv_heads = 8, .hidden = 8192, .layers = 28, .rope_base = 5e5, .rope_factor = 32};

/// LLaMA 2 and 3: u = x + self_attn(N1(x)), y = u + mlp(N2(u)), mlp(z) = down(silu(gate(z)) .* up(z)); after the last layer
/// norm. (B, T, d) -> (B, T, d)
/// Names and rotated pairs: Hugging Face; its weights are (out, in), transposed. Sources: Touvron et al. 2023, 2307.09288;
/// Grattafiori et al. 2024, 2407.21783.
template <llama_dimensions D = llama2_7b>
struct llama {
  static constexpr axis<"B"> B{};
  static constexpr axis<"T"> T{};
  static constexpr axis<"d", D.width> d{};
  static constexpr axis<"h", D.hidden> h{};

  static constexpr double factor = D.rope_factor == 0 ? 1 : D.rope_factor;
  static constexpr auto input_layernorm = rms_norm<"input_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto post_attention_layernorm = rms_norm<"post_attention_layernorm">(d, epsilon<D.epsilon>);
  static constexpr auto final_norm = rms_norm<"norm">(d, epsilon<D.epsilon>);
  static constexpr auto self_attn = attention<"self_attn">(d, heads<D.heads>, kv_heads<D.kv_heads>, causal,
                                                           rope(half_split, rope_base<D.rope_base>, llama3_scaling<factor>),
                                                           projections<"q_proj", "k_proj", "v_proj", "o_proj">);
  static constexpr auto mlp = branch<"mlp">(
      [](auto z) { return linear<"down_proj">(h, d)(hadamard(silu(linear<"gate_proj">(d, h)(z)), linear<"up_proj">(d, h)(z))); });

  static constexpr auto layer = block<"llama_layer">(stream(B, T, d), [](auto x) {
    auto u = x + self_attn(input_layernorm(x));
    return u + mlp(post_attention_layernorm(u));
  });

  static constexpr auto layers() { return stack<"layers", D.layers>(layer); }
  static constexpr auto model() { return block<"llama">(stream(B, T, d), layers() | final_norm); }
};

}  // namespace residua::models
