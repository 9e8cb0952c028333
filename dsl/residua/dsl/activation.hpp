#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

/// A function of one number, applied to each element. Formulas and derivatives: <residua/calculus/rules.hpp>.
template <op Operation, text Name>
struct activation_operation : operation<activation_operation<Operation, Name>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    return {history, history.add({.operation = Operation, .operands = {x.at(), -1, -1}, .shape = value_of(Shape{})}), where};
  }
};

#define RESIDUA_WORD(NAME) inline constexpr activation_operation<op::NAME, #NAME> NAME;
RESIDUA_ACTIVATIONS(RESIDUA_WORD)
#undef RESIDUA_WORD

/// stopped(x) is x, through which nothing is trained: derivatives do not pass it, but for jacobian(b, of_value).
inline constexpr activation_operation<op::stopped, "stopped"> stopped;

}  // namespace residua::dsl
