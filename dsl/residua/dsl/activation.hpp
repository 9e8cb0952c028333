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

inline constexpr activation_operation<op::tanh, "tanh"> tanh;
inline constexpr activation_operation<op::relu, "relu"> relu;
inline constexpr activation_operation<op::relu_squared, "relu_squared"> relu_squared;
inline constexpr activation_operation<op::gelu_erf, "gelu_erf"> gelu_erf;
inline constexpr activation_operation<op::gelu_tanh, "gelu_tanh"> gelu_tanh;
inline constexpr activation_operation<op::silu, "silu"> silu;
inline constexpr activation_operation<op::sigmoid, "sigmoid"> sigmoid;
inline constexpr activation_operation<op::softplus, "softplus"> softplus;

/// stopped(x) is x, through which nothing is trained: derivatives do not pass it, but for jacobian(b, of_value).
inline constexpr activation_operation<op::stopped, "stopped"> stopped;

}  // namespace residua::dsl
