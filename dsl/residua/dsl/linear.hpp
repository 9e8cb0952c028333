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
                                           .operands = {x.at(), -1, -1},
                                           .scope = owner,
                                           .shape = value_of(Result{}),
                                           .has_weight = true,
                                           .has_bias = HasBias}),
                              where};
  }
};

/// linear<"W">(d, h): x W over the feature axis, W stored (d, h); with_bias adds b (h). (B, T, d) -> (B, T, h)
template <text Name, class In, class Out, class... Options>
  requires(is_axis<In> && is_axis<Out>)
constexpr auto linear(In, Out, Options...) {
  using Message = first_message_of<
      typename In::message, typename Out::message,
      options_message<"linear", Name, options_known<with_bias_option, no_bias_option>, "with_bias no_bias", Options...>>;
  using Made = making<linear_operation<Name, In, Out, has_option<with_bias_option, Options...>>, Message, Options...>;
  said(static_cast<typename Made::message*>(nullptr));
  return typename Made::type{};
}

// Mistaken: no axes, or no name.
template <text Name, class... Given>
constexpr auto linear(Given... given) {
  using Made = making<void, misfit_message<joined<"linear<\"", Name, "\">(in, out)">, Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: linear<\"up\">(d, h)", given...);
}
template <class... Given>
constexpr auto linear(Given... given) {
  using Made = making<void, nameless_message<"linear<\"up\">(d, h)", Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: linear<\"up\">(d, h)", given...);
}

}  // namespace residua::dsl
