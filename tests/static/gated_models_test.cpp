// The layers of LLaMA and its relatives at their published sizes: compiling is passing. Would catch what models_test.cpp does.
#include <residua/models.hpp>

#include "model_questions.hpp"

namespace {
using namespace residua::models;
using namespace model_questions;

constexpr attention_value llama_attention{
    .heads = 32, .kv_heads = 32, .head_width = 128, .scale = 1 / square_root(128), .causal = true, .rope = {.width = 128}};

// LLaMA
constexpr auto llama_layer = llama<>::layer;
static_assert(jacobian(llama_layer) == "(I + J_mlp J_post_attention_layernorm) (I + J_self_attn J_input_layernorm)");
static_assert(identity_route(llama_layer) == route::direct);
static_assert(parameter_names(llama_layer) ==
              "input_layernorm.weight self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight "
              "self_attn.o_proj.weight post_attention_layernorm.weight mlp.gate_proj.weight mlp.up_proj.weight "
              "mlp.down_proj.weight");
static_assert(weight_shapes(llama_layer) == "4096x4096 4096x4096 4096x4096 4096x4096 4096x11008 4096x11008 11008x4096");
static_assert(attention_of(llama_layer) == llama_attention);
static_assert(norms_are(llama_layer, op::rms_norm, 1e-5));
static_assert(jacobian(llama_layer, "mlp.gate_proj.weight").text().view().find("diag(silu')") != std::string_view::npos);

constexpr attention_value grouped(attention_value value, std::int64_t heads, std::int64_t kv_heads, rope_value rope) {
  value.heads = heads;
  value.kv_heads = kv_heads;
  value.rope = rope;
  return value;
}
static_assert(attention_of(llama<llama2_70b>::layer) == grouped(llama_attention, 64, 8, {.width = 128}));
static_assert(attention_of(llama<llama3_8b>::layer) == grouped(llama_attention, 32, 8, {.width = 128, .base = 5e5}));
static_assert(attention_of(llama<llama3_1_8b>::layer) ==
              grouped(llama_attention, 32, 8, {.width = 128, .base = 5e5, .factor = 8, .low = 1, .high = 4, .old_length = 8192}));
static_assert(weight_shapes(llama<llama3_2_3b>::layer) ==
              "3072x3072 3072x1024 3072x1024 3072x3072 3072x8192 3072x8192 8192x3072");
static_assert(attention_of(llama<llama_dimensions{.rope_factor = 0}>::layer) == llama_attention);
static_assert(weight_shapes(llama<llama_dimensions{.width = 24, .heads = 4, .kv_heads = 2, .hidden = 40}>::layer) ==
              "24x24 24x12 24x12 24x24 24x40 24x40 40x24");

// Mistral
constexpr auto mistral_layer = mistral<>::layer;
static_assert(jacobian(mistral_layer) == "(I + J_mlp J_post_attention_layernorm) (I + J_self_attn J_input_layernorm)");
static_assert(identity_route(mistral_layer) == route::direct);
static_assert(parameter_names(mistral_layer) == parameter_names(llama_layer).view());
static_assert(weight_shapes(mistral_layer) == "4096x4096 4096x1024 4096x1024 4096x4096 4096x14336 4096x14336 14336x4096");
constexpr attention_value mistral_attention = [] {
  attention_value value = grouped(llama_attention, 32, 8, {.width = 128});
  value.window = 4096;
  return value;
}();
static_assert(attention_of(mistral_layer) == mistral_attention);
static_assert(attention_of(mistral<mistral_dimensions{.window = 0}>::layer).window == 0);
static_assert(norms_are(mistral_layer, op::rms_norm, 1e-5));

// Gemma 2
constexpr auto gemma2_layer = gemma2<>::layer;
static_assert(jacobian(gemma2_layer) ==
              "(I + J_post_feedforward_layernorm J_mlp J_pre_feedforward_layernorm) "
              "(I + J_post_attention_layernorm J_self_attn J_input_layernorm)");
static_assert(jacobian(gemma2<>::global_layer) == jacobian(gemma2_layer).text().view());
static_assert(identity_route(gemma2_layer) == route::direct);
static_assert(parameter_names(gemma2_layer) ==
              "input_layernorm.weight self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight "
              "self_attn.o_proj.weight post_attention_layernorm.weight pre_feedforward_layernorm.weight mlp.gate_proj.weight "
              "mlp.up_proj.weight mlp.down_proj.weight post_feedforward_layernorm.weight");
static_assert(weight_shapes(gemma2_layer) == "2304x2048 2304x1024 2304x1024 2048x2304 2304x9216 2304x9216 9216x2304");
constexpr attention_value gemma2_attention{.heads = 8,
                                           .kv_heads = 4,
                                           .head_width = 256,
                                           .scale = 0.0625,
                                           .softcap = 50,
                                           .causal = true,
                                           .window = 4096,
                                           .rope = {.width = 256}};
static_assert(attention_of(gemma2_layer) == gemma2_attention);
static_assert(attention_of(gemma2<>::global_layer).window == 0);
static_assert(attention_of(gemma2<gemma2_27b>::layer).scale == 1.0 / 12);
static_assert(weight_shapes(gemma2<gemma2_27b>::layer) ==
              "4608x4096 4608x2048 4608x2048 4096x4608 4608x36864 4608x36864 36864x4608");
static_assert(norms_are(gemma2_layer, op::rms_norm, 1e-6, true));
static_assert(jacobian(gemma2_layer, "mlp.gate_proj.weight").text().view().find("diag(gelu_tanh')") != std::string_view::npos);
constexpr gemma2_dimensions three_layers{
    .width = 20, .heads = 4, .kv_heads = 2, .head_width = 6, .hidden = 40, .window = 5, .layers = 3, .query_scale = 10};
constexpr auto three = gemma2<three_layers>::model();
static_assert(attention_of(three, 0).window == 5 && attention_of(three, 1).window == 0 && attention_of(three, 2).window == 5);
static_assert(identity_route(three).text() == "through: J_norm");
static_assert(norms_are(three, op::rms_norm, 1e-6, true));

// Qwen3
constexpr auto qwen3_layer = qwen3<>::layer;
static_assert(jacobian(qwen3_layer) == "(I + J_mlp J_post_attention_layernorm) (I + J_self_attn J_input_layernorm)");
static_assert(identity_route(qwen3_layer) == route::direct);
static_assert(parameter_names(qwen3_layer) ==
              "input_layernorm.weight self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight "
              "self_attn.q_norm.weight self_attn.k_norm.weight self_attn.o_proj.weight post_attention_layernorm.weight "
              "mlp.gate_proj.weight mlp.up_proj.weight mlp.down_proj.weight");
static_assert(attention_of(qwen3_layer) == grouped(llama_attention, 32, 8, {.width = 128, .base = 1e6}));
static_assert(groups_of_norm(qwen3_layer, 1) == 32 && groups_of_norm(qwen3_layer, 2) == 8);
static_assert(norms_are(qwen3_layer, op::rms_norm, 1e-6));
static_assert(weight_shapes(qwen3<qwen3_0_6b>::layer) == "1024x2048 1024x1024 1024x1024 2048x1024 1024x3072 1024x3072 3072x1024");

// OLMo 2
constexpr auto olmo2_layer = olmo2<>::layer;
static_assert(jacobian(olmo2_layer) == "(I + J_post_feedforward_layernorm J_mlp) (I + J_post_attention_layernorm J_self_attn)");
static_assert(identity_route(olmo2_layer) == route::direct);
static_assert(parameter_names(olmo2_layer) ==
              "self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight self_attn.q_norm.weight "
              "self_attn.k_norm.weight self_attn.o_proj.weight post_attention_layernorm.weight mlp.gate_proj.weight "
              "mlp.up_proj.weight mlp.down_proj.weight post_feedforward_layernorm.weight");
static_assert(attention_of(olmo2_layer) == grouped(llama_attention, 32, 32, {.width = 128, .base = 5e5}));
static_assert(groups_of_norm(olmo2_layer, 0) == 1 && groups_of_norm(olmo2_layer, 1) == 1);
static_assert(norms_are(olmo2_layer, op::rms_norm, 1e-6));

// The sizes that have a name.
template <auto... D>
constexpr bool heads_fit = ((D.heads % D.kv_heads == 0) && ...);
template <auto... D>
constexpr bool heads_are_128_wide = ((D.width == 128 * D.heads) && ...);
static_assert(heads_fit<llama2_7b, llama2_13b, llama2_70b, llama3_8b, llama3_70b, llama3_1_8b, llama3_1_70b, llama3_1_405b>);
static_assert(heads_fit<llama3_2_1b, llama3_2_3b, mistral_7b, gemma2_2b, gemma2_9b, gemma2_27b, olmo2_7b, olmo2_13b>);
static_assert(heads_fit<qwen3_0_6b, qwen3_1_7b, qwen3_4b, qwen3_8b, qwen3_14b, qwen3_32b>);
static_assert(heads_are_128_wide<llama2_7b, llama2_13b, llama2_70b, llama3_8b, llama3_70b, llama3_1_405b, llama3_2_3b>);
static_assert(heads_are_128_wide<mistral_7b, olmo2_7b, olmo2_13b>);
static_assert(llama3_2_1b.width == 64 * llama3_2_1b.heads);

// Whole models.
static_assert(identity_route(llama<llama_dimensions{.layers = 2}>::model()).text() == "through: J_norm");
static_assert(jacobian(mistral<mistral_dimensions{.layers = 1}>::layers()) ==
              "(I + J_layers.0.mlp J_layers.0.post_attention_layernorm) (I + J_layers.0.self_attn J_layers.0.input_layernorm)");
static_assert(identity_route(qwen3<qwen3_dimensions{.layers = 1}>::model()).text() == "through: J_norm");
static_assert(identity_route(olmo2<olmo2_dimensions{.layers = 1}>::model()).text() == "through: J_norm");
static_assert(identity_route(llama<llama2_70b>::layers()) == route::direct);  // 80 layers
}  // namespace

int main() {}
