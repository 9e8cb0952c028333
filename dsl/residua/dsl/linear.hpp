#pragma once
#include <residua/dsl/maker.hpp>

namespace residua::dsl {

template <text Name, class In, class Out, bool HasBias>
struct linear_operation : operation<linear_operation<Name, In, Out, HasBias>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    using Result = with_feature_axis<Shape, Out>;
    trace& history = x.history();
    require_feature_axis<In>(mistake::wrong_axis, name, x, where);
    if constexpr (names_repeat(value_of(Result{}))) history.add_report(repeated_axis<Result>(name, where));
    int const owner = history.scope_of(name, hash(name), &identity_of<linear_operation>, where);
    return expression<Result>{history,
                              history.add({.operation = op::linear,
                                           .operands = {x.at(), -1, -1},
                                           .scope = owner,
                                           .shape = value_of(Result{}),
                                           .has_weight = true,
                                           .has_bias = HasBias}),
                              where};
  }
};

struct linear_spec {
  static constexpr std::string_view word = "linear", arguments = "(in, out)", example = "linear<\"up\">(d, h)";
  static constexpr std::size_t axes = 2;
  using options = options_known<with_bias_option, no_bias_option>;
  static constexpr std::string_view known = "with_bias no_bias";

  template <text Name, class In, class Out, class... Options>
  static constexpr auto make(names<Name>, In, Out, Options...) {
    return linear_operation<Name, In, Out, has_option<with_bias_option, Options...>>{};
  }
};
/// linear<"W">(d, h): x W over the feature axis, W stored (d, h); with_bias adds b (h). (B, T, d) -> (B, T, h)
template <text... Name, class... Given>
constexpr auto linear(Given... given) {
  using Made = made<linear_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

}  // namespace residua::dsl
