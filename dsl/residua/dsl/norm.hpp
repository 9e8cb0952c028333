#pragma once
#include <residua/dsl/attention_options.hpp>

namespace residua::dsl {

template <op Operation, text Name, class Axis, bool HasWeight, bool HasBias, bool UnitOffset, double Epsilon, std::int64_t Heads>
struct norm_operation : operation<norm_operation<Operation, Name, Axis, HasWeight, HasBias, UnitOffset, Epsilon, Heads>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    require_feature_axis<Axis>(mistake::wrong_norm_axis, name, x, where);
    int const owner = history.scope_of(name, hash(name), &identity_of<norm_operation>, where);
    return {history,
            history.add({.operation = Operation,
                         .operands = {x.at(), -1, -1},
                         .scope = owner,
                         .shape = value_of(Shape{}),
                         .has_weight = HasWeight,
                         .has_bias = HasBias,
                         .epsilon = Epsilon,
                         .unit_offset = UnitOffset,
                         .groups = Heads}),
            where};
  }
};

/// What the norms' specs have in common. A norm that knows no_bias has a bias.
template <class Spec, op Operation, class... Known>
struct norm_spec {
  static constexpr std::string_view arguments = "(axis)";
  static constexpr std::size_t axes = 1;
  using options = options_known<Known...>;

  template <class Axis, class... Options>
  static constexpr report examine(std::string_view name) {
    phrase_parts const in{"in ", Spec::word, "<\"", name, "\">(...)"};
    if (report const found = examine_options<options, Options...>(in, Spec::known)) return found;
    if constexpr (!(option_is_positive<Options> && ...)) return not_positive<Options...>(in);
    if (!has_option<head_count_option, Options...>) return {};
    if (Axis::extent == run_time) return report(mistake::width_not_known).say(in).say({"axis: ", value_of(Axis{})});
    return examine_heads(complete(settings_among<Options...>(), Axis::extent), Axis::extent, in);
  }

  template <text Name, class Axis, class... Options>
  static constexpr auto make(names<Name>, Axis, Options...) {
    constexpr bool affine = !has_option<no_affine_option, Options...>;
    constexpr bool has_bias = affine && has_option<no_bias_option, Known...> && !has_option<no_bias_option, Options...>;
    constexpr double epsilon = has_option<epsilon_option, Known...> ? epsilon_among<Options...> : 0;
    constexpr std::int64_t heads = settings_among<Options...>().value.heads;
    return norm_operation<Operation, Name, Axis, affine, has_bias, has_option<unit_offset_option, Options...>, epsilon,
                          heads == 0 ? 1 : heads>{};
  }
};

struct layer_norm_spec
    : norm_spec<layer_norm_spec, op::layer_norm, no_bias_option, no_affine_option, epsilon_option, head_count_option> {
  static constexpr std::string_view word = "layer_norm", example = "layer_norm<\"N\">(d)",
                                    known = "no_bias no_affine epsilon heads";
};
/// layer_norm<"N">(d): w .* (x - mean) / sqrt(variance + eps) + b over the feature axis.
/// Options: no_bias, no_affine, epsilon<...> (1e-5), heads<...> (1): each alone, with one gain and bias for all.
/// Source: Ba et al. 2016, 1607.06450.
template <text... Name, class... Given>
constexpr auto layer_norm(Given... given) {
  using Made = made<layer_norm_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

struct rms_norm_spec
    : norm_spec<rms_norm_spec, op::rms_norm, unit_offset_option, no_affine_option, epsilon_option, head_count_option> {
  static constexpr std::string_view word = "rms_norm", example = "rms_norm<\"N\">(d)",
                                    known = "unit_offset no_affine epsilon heads";
};
/// rms_norm<"N">(d): w .* x / sqrt(mean(x^2) + eps) over the feature axis.
/// Options: unit_offset (gain 1 + w), no_affine, epsilon<...> (1e-5), heads<...> (1): each alone, with one gain for all.
/// Source: Zhang & Sennrich 2019, 1910.07467.
template <text... Name, class... Given>
constexpr auto rms_norm(Given... given) {
  using Made = made<rms_norm_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

struct dyt_spec : norm_spec<dyt_spec, op::dyt, no_bias_option, no_affine_option> {
  static constexpr std::string_view word = "dyt", example = "dyt<\"N\">(d)", known = "no_bias no_affine";
};
/// dyt<"N">(d): w .* tanh(alpha x) + b, dynamic tanh in the place of a norm; alpha is one learned number, 0.5 at initialisation.
/// Options: no_bias, no_affine. Source: Zhu et al. 2025, 2503.10622.
template <text... Name, class... Given>
constexpr auto dyt(Given... given) {
  using Made = made<dyt_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

}  // namespace residua::dsl
