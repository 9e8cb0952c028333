#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

template <text Name, class In, class Out, bool HasBias>
struct linear_operation : operation<linear_operation<Name, In, Out, HasBias>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    using Result = with_feature_axis<Shape, Out>;
    trace& history = x.history();
    require_feature_axis<In>(mistake::wrong_axis, name, x, where);
    if constexpr (names_repeat(value_of(Result{})))
      history.fail({.kind = mistake::axis_repeated, .subject = name, .right = value_of(Result{}), .where = where});
    int const owner = history.scope_of(name, hash(name), &identity_of<linear_operation>, where);
    return expression<Result>{history,
                              history.add({.operation = op::linear,
                                           .operands = {x.at(), -1},
                                           .scope = owner,
                                           .shape = value_of(Result{}),
                                           .has_weight = true,
                                           .has_bias = HasBias}),
                              where};
  }
};

/// linear<"W">(d, h): x W over the feature axis, W stored (d, h); with_bias adds b (h). (B, T, d) -> (B, T, h)
template <text Name, class In, class Out, class... Options>
constexpr auto linear(In, Out, Options...) {
  using Message = first_message_of<
      axes_message<"linear", Name, In, Out>,
      options_message<"linear", Name, options_known<with_bias_option, no_bias_option>, "with_bias no_bias", Options...>>;
  said(static_cast<Message*>(nullptr));
  if constexpr (std::is_same_v<Message, no_message>)
    return linear_operation<Name, In, Out, has_option<with_bias_option, Options...>>{};
  else return broken_operation{};
}

}  // namespace residua::dsl
