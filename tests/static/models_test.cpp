// The layers of published models at their published sizes: compiling is passing. Would catch a norm at another place, a
// parameter under another name or in another order, a size or an option of attention that is not the model's.
#include <residua/models.hpp>

#include "model_questions.hpp"
#include "tiny_models.hpp"

namespace {
using namespace residua::models;
using namespace model_questions;

// GPT-2
constexpr auto gpt2_layer = gpt2<>::layer;
static_assert(jacobian(gpt2_layer) == "(I + J_mlp J_ln_2) (I + J_attn J_ln_1)");
static_assert(identity_route(gpt2_layer) == route::direct);
static_assert(parameter_names(gpt2_layer) ==
              "ln_1.weight ln_1.bias attn.c_attn.weight attn.c_attn.bias attn.c_proj.weight attn.c_proj.bias ln_2.weight "
              "ln_2.bias mlp.c_fc.weight mlp.c_fc.bias mlp.c_proj.weight mlp.c_proj.bias");
static_assert(weight_shapes(gpt2_layer) == "768x2304 768x768 768x3072 3072x768");
static_assert(attention_of(gpt2_layer) ==
              attention_value{.heads = 12, .kv_heads = 12, .head_width = 64, .scale = 0.125, .causal = true});
static_assert(norms_are(gpt2_layer, op::layer_norm, 1e-5));
static_assert(jacobian(gpt2_layer, "mlp.c_fc.weight") == "J_mlp.c_proj diag(gelu_tanh') D_mlp.c_fc.weight");

static_assert(jacobian(gpt2_tiny) == "(I + J_mlp J_ln_2) (I + J_attn J_ln_1)");
static_assert(weight_shapes(gpt2_tiny) == "64x192 64x64 64x256 256x64");
static_assert(attention_of(gpt2_tiny).head_width == 16);

// BERT
constexpr auto bert_layer = bert<>::layer;
static_assert(jacobian(bert_layer) ==
              "J_output.LayerNorm (I + J_output.dense diag(gelu_erf') J_intermediate.dense) J_attention.output.LayerNorm "
              "(I + J_attention)");
static_assert(identity_route(bert_layer).text() == "through: J_output.LayerNorm J_attention.output.LayerNorm");
static_assert(parameter_names(bert_layer) ==
              "attention.self.query.weight attention.self.query.bias attention.self.key.weight attention.self.key.bias "
              "attention.self.value.weight attention.self.value.bias attention.output.dense.weight "
              "attention.output.dense.bias attention.output.LayerNorm.weight attention.output.LayerNorm.bias "
              "intermediate.dense.weight intermediate.dense.bias output.dense.weight output.dense.bias "
              "output.LayerNorm.weight output.LayerNorm.bias");
static_assert(weight_shapes(bert_layer) == "768x768 768x768 768x768 768x768 768x3072 3072x768");
static_assert(attention_of(bert_layer) == attention_value{.heads = 12, .kv_heads = 12, .head_width = 64, .scale = 0.125});
static_assert(norms_are(bert_layer, op::layer_norm, 1e-12));
static_assert(jacobian(bert<bert_dimensions{.activation = gelu::tanh}>::layer) ==
              "J_output.LayerNorm (I + J_output.dense diag(gelu_tanh') J_intermediate.dense) J_attention.output.LayerNorm "
              "(I + J_attention)");

// The Transformer
constexpr auto encoder_layer = transformer<>::encoder_layer;
static_assert(jacobian(encoder_layer) ==
              "J_final_layer_norm (I + J_fc2 diag(relu') J_fc1) J_self_attn_layer_norm (I + J_self_attn)");
static_assert(identity_route(encoder_layer).text() == "through: J_final_layer_norm J_self_attn_layer_norm");
static_assert(parameter_names(encoder_layer) ==
              "self_attn.q_proj.weight self_attn.q_proj.bias self_attn.k_proj.weight self_attn.k_proj.bias "
              "self_attn.v_proj.weight self_attn.v_proj.bias self_attn.out_proj.weight self_attn.out_proj.bias "
              "self_attn_layer_norm.weight self_attn_layer_norm.bias fc1.weight fc1.bias fc2.weight fc2.bias "
              "final_layer_norm.weight final_layer_norm.bias");
static_assert(weight_shapes(encoder_layer) == "512x512 512x512 512x512 512x512 512x2048 2048x512");
static_assert(attention_of(encoder_layer) == attention_value{.heads = 8, .kv_heads = 8, .head_width = 64, .scale = 0.125});
static_assert(norms_are(encoder_layer, op::layer_norm, 1e-6));

constexpr auto decoder_layer = transformer<>::decoder_layer;
static_assert(jacobian(decoder_layer) ==
              "J_final_layer_norm (I + J_fc2 diag(relu') J_fc1) J_encoder_attn_layer_norm (I + J_encoder_attn) "
              "J_self_attn_layer_norm (I + J_self_attn)");
static_assert(jacobian(decoder_layer, by_memory) ==
              "J_final_layer_norm (I + J_fc2 diag(relu') J_fc1) J_encoder_attn_layer_norm J_encoder_attn.memory");
static_assert(identity_route(decoder_layer).text() ==
              "through: J_final_layer_norm J_encoder_attn_layer_norm J_self_attn_layer_norm");
static_assert(parameter_names(decoder_layer) ==
              "self_attn.q_proj.weight self_attn.q_proj.bias self_attn.k_proj.weight self_attn.k_proj.bias "
              "self_attn.v_proj.weight self_attn.v_proj.bias self_attn.out_proj.weight self_attn.out_proj.bias "
              "self_attn_layer_norm.weight self_attn_layer_norm.bias encoder_attn.q_proj.weight encoder_attn.q_proj.bias "
              "encoder_attn.k_proj.weight encoder_attn.k_proj.bias encoder_attn.v_proj.weight encoder_attn.v_proj.bias "
              "encoder_attn.out_proj.weight encoder_attn.out_proj.bias encoder_attn_layer_norm.weight "
              "encoder_attn_layer_norm.bias fc1.weight fc1.bias fc2.weight fc2.bias final_layer_norm.weight "
              "final_layer_norm.bias");
static_assert(attention_of(decoder_layer, 0).causal && !attention_of(decoder_layer, 1).causal);
static_assert(parameter_names(transformer<transformer_dimensions{.attention_bias = false}>::encoder_layer) ==
              "self_attn.q_proj.weight self_attn.k_proj.weight self_attn.v_proj.weight self_attn.out_proj.weight "
              "self_attn_layer_norm.weight self_attn_layer_norm.bias fc1.weight fc1.bias fc2.weight fc2.bias "
              "final_layer_norm.weight final_layer_norm.bias");

// GPT-J
constexpr auto gptj_layer = gptj<>::layer;
static_assert(jacobian(gptj_layer) == "I + (J_attn + J_mlp) J_ln_1");
static_assert(identity_route(gptj_layer) == route::direct);
static_assert(parameter_names(gptj_layer) ==
              "ln_1.weight ln_1.bias attn.q_proj.weight attn.k_proj.weight attn.v_proj.weight attn.out_proj.weight "
              "mlp.fc_in.weight mlp.fc_in.bias mlp.fc_out.weight mlp.fc_out.bias");
static_assert(weight_shapes(gptj_layer) == "4096x4096 4096x4096 4096x4096 4096x4096 4096x16384 16384x4096");
static_assert(attention_of(gptj_layer) == attention_value{.heads = 16,
                                                          .kv_heads = 16,
                                                          .head_width = 256,
                                                          .scale = 0.0625,
                                                          .causal = true,
                                                          .rope = {.width = 64, .interleaved = true}});
static_assert(norms_are(gptj_layer, op::layer_norm, 1e-5));

// GPT-NeoX
constexpr auto gpt_neox_layer = gpt_neox<>::layer;
static_assert(jacobian(gpt_neox_layer) == "I + J_attention J_input_layernorm + J_mlp J_post_attention_layernorm");
static_assert(identity_route(gpt_neox_layer) == route::direct);
static_assert(parameter_names(gpt_neox_layer) ==
              "input_layernorm.weight input_layernorm.bias attention.query.weight attention.query.bias attention.key.weight "
              "attention.key.bias attention.value.weight attention.value.bias attention.dense.weight attention.dense.bias "
              "post_attention_layernorm.weight post_attention_layernorm.bias mlp.dense_h_to_4h.weight "
              "mlp.dense_h_to_4h.bias mlp.dense_4h_to_h.weight mlp.dense_4h_to_h.bias");
static_assert(weight_shapes(gpt_neox_layer) == "6144x6144 6144x6144 6144x6144 6144x6144 6144x24576 24576x6144");
static_assert(
    attention_of(gpt_neox_layer) ==
    attention_value{
        .heads = 64, .kv_heads = 64, .head_width = 96, .scale = 1 / square_root(96), .causal = true, .rope = {.width = 24}});
static_assert(norms_are(gpt_neox_layer, op::layer_norm, 1e-5));
static_assert(jacobian(gpt_neox_layer, "mlp.dense_h_to_4h.bias") ==
              "J_mlp.dense_4h_to_h diag(gelu_erf') D_mlp.dense_h_to_4h.bias");

// The Vision Transformer
constexpr auto vit_layer = vit<>::layer;
static_assert(jacobian(vit_layer) == "(I + J_mlp J_norm2) (I + J_attn J_norm1)");
static_assert(identity_route(vit_layer) == route::direct);
static_assert(parameter_names(vit_layer) ==
              "norm1.weight norm1.bias attn.qkv.weight attn.qkv.bias attn.proj.weight attn.proj.bias norm2.weight norm2.bias "
              "mlp.fc1.weight mlp.fc1.bias mlp.fc2.weight mlp.fc2.bias");
static_assert(attention_of(vit_layer) == attention_value{.heads = 12, .kv_heads = 12, .head_width = 64, .scale = 0.125});
static_assert(norms_are(vit_layer, op::layer_norm, 1e-6));
static_assert(jacobian(vit_layer, "mlp.fc1.bias") == "J_mlp.fc2 diag(gelu_erf') D_mlp.fc1.bias");

// The sizes that have a name.
template <auto... D>
constexpr bool heads_fit = ((D.width % D.heads == 0 && D.hidden == 4 * D.width) && ...);
static_assert(heads_fit<gpt2_small, gpt2_medium, gpt2_large, gpt2_xl, bert_base, bert_large, transformer_base, transformer_big>);
static_assert(heads_fit<gptj_6b, gpt_neox_20b, vit_b, vit_l, vit_h>);
static_assert(heads_fit<pythia_70m, pythia_160m, pythia_410m, pythia_1b, pythia_1_4b, pythia_2_8b, pythia_6_9b, pythia_12b>);
template <gpt_neox_dimensions... D>
constexpr bool quarters_rotate = ((4 * D.rotary_width * D.heads == D.width) && ...);
static_assert(quarters_rotate<gpt_neox_20b, pythia_70m, pythia_160m, pythia_410m, pythia_1b>);
static_assert(quarters_rotate<pythia_1_4b, pythia_2_8b, pythia_6_9b, pythia_12b>);
static_assert(weight_shapes(gpt2<gpt2_xl>::layer) == "1600x4800 1600x1600 1600x6400 6400x1600");
static_assert(weight_shapes(vit<vit_h>::layer) == "1280x3840 1280x1280 1280x5120 5120x1280");

// Whole models: layers below the published prefix, then the final norm.
constexpr gpt2_dimensions two_layers{.width = 15, .heads = 3, .hidden = 60, .layers = 2};
static_assert(
    jacobian(gpt2<two_layers>::model()) ==
    "J_ln_f (I + J_h.1.mlp J_h.1.ln_2) (I + J_h.1.attn J_h.1.ln_1) (I + J_h.0.mlp J_h.0.ln_2) (I + J_h.0.attn J_h.0.ln_1)");
static_assert(identity_route(gpt2<two_layers>::layers()) == route::direct);
static_assert(identity_route(gpt2<two_layers>::model()).text() == "through: J_ln_f");
static_assert(identity_route(gpt2<>::model()).norms == 1);
static_assert(identity_route(bert<bert_dimensions{.layers = 2}>::model()).text() ==
              "through: J_layer.1.output.LayerNorm J_layer.1.attention.output.LayerNorm J_layer.0.output.LayerNorm "
              "J_layer.0.attention.output.LayerNorm");
static_assert(identity_route(gptj<gptj_dimensions{.layers = 1}>::model()).text() == "through: J_ln_f");
static_assert(identity_route(gpt_neox<gpt_neox_dimensions{.layers = 1}>::model()).text() == "through: J_final_layer_norm");
static_assert(identity_route(vit<vit_dimensions{.layers = 1}>::model()).text() == "through: J_norm");
static_assert(jacobian(vit<vit_dimensions{.layers = 1}>::layers()) ==
              "(I + J_blocks.0.mlp J_blocks.0.norm2) (I + J_blocks.0.attn J_blocks.0.norm1)");

constexpr transformer_dimensions one_layer{.width = 15, .heads = 3, .hidden = 40, .encoder_layers = 1, .decoder_layers = 1};
static_assert(identity_route(transformer<one_layer>::encoder()).text() ==
              "through: J_layers.0.final_layer_norm J_layers.0.self_attn_layer_norm");
static_assert(jacobian(transformer<one_layer>::decoder(), by_memory) ==
              "J_layers.0.final_layer_norm (I + J_layers.0.fc2 diag(relu') J_layers.0.fc1) J_layers.0.encoder_attn_layer_norm "
              "J_layers.0.encoder_attn.memory");
}  // namespace

int main() {}
