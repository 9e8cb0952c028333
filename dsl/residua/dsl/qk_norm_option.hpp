#pragma once
#include <residua/dsl/attention_settings.hpp>

namespace residua::dsl {

/// Which norm qk_norm is.
enum class norm : unsigned char { rms, layer };
struct across_heads_option : option_base {
  static constexpr std::string_view name = "across_heads";
};
inline constexpr across_heads_option across_heads;

template <norm Which, class... Options>
struct qk_norm_option : attention_option {
  static constexpr std::string_view name = "qk_norm";
  static constexpr report examine() {
    using Own = std::conditional_t<Which == norm::rms, unit_offset_option, no_bias_option>;
    return examine_options<options_known<epsilon_option, no_affine_option, across_heads_option, Own>, Options...>(
        {"in qk_norm<...>(...)"},
        Which == norm::rms ? "epsilon no_affine across_heads unit_offset" : "epsilon no_affine across_heads no_bias");
  }
  static constexpr void set(attention_settings& s) {
    bool const affine = !has_option<no_affine_option, Options...>;
    s.qk_norm = {.present = true,
                 .operation = Which == norm::rms ? op::rms_norm : op::layer_norm,
                 .has_weight = affine,
                 .has_bias = Which == norm::layer && affine && !has_option<no_bias_option, Options...>,
                 .unit_offset = has_option<unit_offset_option, Options...>,
                 .epsilon = epsilon_among<Options...>,
                 .across_heads = has_option<across_heads_option, Options...>};
  }
};
/// qk_norm<norm::rms>(epsilon<1e-6>): a norm of each head's queries and keys, one gain for all heads, before the rotation;
/// across_heads: of all heads together.
template <norm Which, class... Options>
constexpr qk_norm_option<Which, Options...> qk_norm(Options...) {
  return {};
}

}  // namespace residua::dsl
