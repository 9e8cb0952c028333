#pragma once
#include <residua/models.hpp>

// The published models' layers, shrunken to the sizes of tests/oracle/models.
namespace golden_models {
namespace models = residua::models;

inline constexpr auto gpt2 = models::gpt2<models::gpt2_dimensions{.width = 15, .heads = 3, .hidden = 60}>::layer;
inline constexpr auto bert = models::bert<models::bert_dimensions{.width = 15, .heads = 3, .hidden = 60}>::layer;
inline constexpr auto vit = models::vit<models::vit_dimensions{.width = 15, .heads = 3, .hidden = 60}>::layer;
inline constexpr auto transformer_encoder =
    models::transformer<models::transformer_dimensions{.width = 15, .heads = 3, .hidden = 40}>::encoder_layer;
inline constexpr auto transformer_decoder =
    models::transformer<models::transformer_dimensions{.width = 15, .heads = 3, .hidden = 40}>::decoder_layer;
inline constexpr auto gptj =
    models::gptj<models::gptj_dimensions{.width = 24, .heads = 3, .hidden = 40, .rotary_width = 4}>::layer;
inline constexpr auto gpt_neox =
    models::gpt_neox<models::gpt_neox_dimensions{.width = 24, .heads = 3, .hidden = 40, .rotary_width = 2}>::layer;
inline constexpr auto llama2 =
    models::llama<models::llama_dimensions{.width = 24, .heads = 4, .kv_heads = 4, .hidden = 40}>::layer;
inline constexpr auto llama3 = models::llama<models::llama_dimensions{
    .width = 24, .heads = 4, .kv_heads = 2, .hidden = 40, .rope_base = 5e5, .rope_factor = 8}>::layer;
inline constexpr auto mistral =
    models::mistral<models::mistral_dimensions{.width = 24, .heads = 4, .kv_heads = 2, .hidden = 40, .window = 5}>::layer;
inline constexpr auto gemma2 = models::gemma2<models::gemma2_dimensions{
    .width = 20, .heads = 4, .kv_heads = 2, .head_width = 6, .hidden = 40, .window = 5, .query_scale = 10}>::local_layer;
inline constexpr auto qwen3 =
    models::qwen3<models::qwen3_dimensions{.width = 20, .heads = 4, .kv_heads = 2, .head_width = 6, .hidden = 40}>::layer;
inline constexpr auto olmo2 =
    models::olmo2<models::olmo2_dimensions{.width = 24, .heads = 4, .kv_heads = 4, .hidden = 40}>::layer;
}  // namespace golden_models
