#pragma once
#include <residua/calculus/rule.hpp>

namespace residua::calculus {

namespace detail {
using namespace closed_forms;

/// A row of a function f of one number, whose Jacobian is diag(f'(x)).
constexpr rule pointwise(rule row) {
  row.is = kind::pointwise;
  row.factors = {factor::activation};
  row.derivatives[0] = row.derivatives[0].on_diagonal();
  return row;
}

/// t = tanh(alpha x) of a dynamic tanh.
constexpr formula dynamic_tanh(formulas& f) { return f.define(symbols::t, tanh(f.parameter(role::alpha, true) * x(f))); }
constexpr formula dynamic_tanh_slope(formulas& f) { return 1 - power(dynamic_tanh(f), 2); }

inline constexpr std::array rules{
    rule{.operation = op::input, .word = "stream", .is = kind::input},
    rule{.operation = op::add,
         .word = "+",
         .is = kind::sum,
         .factors = {factor::identity, factor::identity},
         .value = [](formulas& f) { return f.operand(0) + f.operand(1); },
         .derivatives = {identity, identity}},
    rule{.operation = op::subtract,
         .word = "-",
         .is = kind::sum,
         .factors = {factor::identity, factor::negative},
         .value = [](formulas& f) { return f.operand(0) - f.operand(1); },
         .derivatives = {identity, [](formulas& f) { return -identity(f); }}},
    rule{.operation = op::constant_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::scalar},
         .value = [](formulas& f) { return factor_of(f) * x(f); },
         .derivatives = {[](formulas& f) { return factor_of(f) * identity(f); }}},
    rule{.operation = op::scalar_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::scalar},
         .parameters = {{role::itself, lies_over::nothing,
                         [](formulas& f) {
                           formula const dalpha = f(symbol{"dalpha", "d\\alpha"});
                           return map(dalpha, dalpha * x(f));
                         }}},
         .value = [](formulas& f) { return learned_scalar(f) * x(f); },
         .derivatives = {[](formulas& f) { return learned_scalar(f) * identity(f); }}},
    rule{.operation = op::vector_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::vector},
         .parameters = {{role::itself, lies_over::features,
                         [](formulas& f) {
                           formula const dg = f(symbol{"dg", "dg", false});
                           return map(dg, hadamard(dg, x(f)));
                         }}},
         .value = [](formulas& f) { return hadamard(learned_vector(f), x(f)); },
         .derivatives = {[](formulas& f) { return diagonal(f.define(symbols::g, learned_vector(f))); }}},
    rule{.operation = op::hadamard,
         .word = "hadamard",
         .is = kind::hadamard,
         .factors = {factor::other, factor::other},
         .value = [](formulas& f) { return hadamard(f.operand(0), f.operand(1)); },
         .derivatives = {[](formulas& f) { return diagonal(f.operand(1)); }, [](formulas& f) { return diagonal(f.operand(0)); }}},
    rule{.operation = op::token_multiple,
         .word = "*",
         .is = kind::token_scale,
         .factors = {factor::other, factor::column},
         .value = [](formulas& f) { return f.operand(1, true) * f.operand(0); },
         .derivatives = {[](formulas& f) { return f.operand(1, true) * identity(f); }, [](formulas& f) { return f.operand(0); }}},
    rule{.operation = op::renamed,
         .word = "renamed",
         .is = kind::renamed,
         .factors = {factor::identity},
         .value = x,
         .derivatives = {identity}},
    rule{.operation = op::constant,
         .word = "constant",
         .is = kind::term,
         .value = [](formulas& f) { return factor_of(f) * ones(f); }},
    rule{.operation = op::learned_scalar,
         .word = "learned_scalar",
         .is = kind::term,
         .parameters = {{role::itself, lies_over::nothing,
                         [](formulas& f) {
                           formula const dalpha = f(symbol{"dalpha", "d\\alpha"});
                           return map(dalpha, each_token(dalpha * ones(f)));
                         }}},
         .value = [](formulas& f) { return learned_scalar(f) * ones(f); }},
    rule{.operation = op::learned_vector,
         .word = "learned_vector",
         .is = kind::term,
         .parameters = {{role::itself, lies_over::features, by_bias}},
         .value = learned_vector},
    rule{.operation = op::stopped,
         .word = "stopped",
         .is = kind::stopped,
         .factors = {factor::stopped},
         .value = x,
         .derivatives = {identity}},
    rule{.operation = op::at_each_token,
         .word = "at_each_token",
         .is = kind::repetition,
         .factors = {factor::repetition},
         .value = [](formulas& f) { return each_token(x(f)); },
         .derivatives = {[](formulas& f) { return each_token(identity(f)); }}},
    rule{.operation = op::mean,
         .word = "mean",
         .is = kind::reduction,
         .factors = {factor::mean},
         .value = [](formulas& f) { return mean(x(f)); },
         .derivatives = {[](formulas& f) { return ratio(transposed(ones(f)), f(symbols::d)); }}},
    rule{.operation = op::inner,
         .word = "inner",
         .is = kind::reduction,
         .factors = {factor::row, factor::row},
         .value = [](formulas& f) { return inner(f.operand(0), f.operand(1)); },
         .derivatives = {[](formulas& f) { return transposed(f.operand(1)); },
                         [](formulas& f) { return transposed(f.operand(0)); }}},
    rule{.operation = op::layer_norm,
         .word = "layer_norm",
         .is = kind::norm,
         .factors = {factor::norm},
         .parameters = {{role::weight, lies_over::features, norm_by_weight}, {role::bias, lies_over::features, by_bias}},
         .value = norm,
         .derivatives = {norm_jacobian},
         .where = {normalised, spread}},
    rule{.operation = op::rms_norm,
         .word = "rms_norm",
         .is = kind::norm,
         .factors = {factor::norm},
         .parameters = {{role::weight, lies_over::features, norm_by_weight}},
         .value = norm,
         .derivatives = {norm_jacobian},
         .where = {normalised, spread}},
    rule{
        .operation = op::dyt,
        .word = "dyt",
        .is = kind::norm,
        .factors = {factor::norm},
        .parameters = {{role::weight, lies_over::features,
                        [](formulas& f) {
                          formula const dw = f(symbol{"dw", "dw", false});
                          return map(dw, hadamard(dynamic_tanh(f), dw));
                        }},
                       {role::bias, lies_over::features, by_bias},
                       {role::alpha, lies_over::nothing,
                        [](formulas& f) {
                          formula const dalpha = f(symbol{"dalpha", "d\\alpha"});
                          return map(dalpha, dalpha * (gain(f) * hadamard(dynamic_tanh_slope(f), x(f))));
                        }}},
        .value = [](formulas& f) { return gain(f) * dynamic_tanh(f) + bias(f); },
        .derivatives = {[](formulas& f) { return f.parameter(role::alpha, true) * (gain(f) * diagonal(dynamic_tanh_slope(f))); }},
        .where = {dynamic_tanh}},
    rule{.operation = op::linear,
         .word = "linear",
         .is = kind::product,
         .factors = {factor::matrix},
         .parameters = {{role::weight, lies_over::both, linear_by_weight}, {role::bias, lies_over::features, by_bias}},
         .value = linear,
         .derivatives = {[](formulas& f) { return transposed(f.parameter(role::weight)); }}},
    pointwise({.operation = op::tanh,
               .word = "tanh",
               .value = [](formula x) { return tanh(x); },
               .derivatives = {[](formula x) { return 1 - power(tanh(x), 2); }},
               .where = {}}),
    pointwise({.operation = op::relu,
               .word = "relu",
               .value = [](formula x) { return max(x, 0); },
               .derivatives = {[](formula x) { return x > 0; }},
               .where = {}}),
    pointwise({.operation = op::relu_squared,
               .word = "relu_squared",
               .value = [](formula x) { return power(max(x, 0), 2); },
               .derivatives = {[](formula x) { return 2 * max(x, 0); }}}),
    pointwise({.operation = op::gelu_erf,
               .word = "gelu_erf",
               .value = [](formula x) { return x * Phi(x); },
               .derivatives = {[](formula x) { return Phi(x) + x * phi(x); }}}),
    pointwise({.operation = op::gelu_tanh,
               .word = "gelu_tanh",
               .value = [](formula x) { return x * (1 + gelu_tanh_t(x)) / 2; },
               .derivatives = {[](formula x) {
                 formula const t = gelu_tanh_t(x);
                 return (1 + t) / 2 + x * (1 - power(t, 2)) * gelu_tanh_k(x) * (1 + 0.134145 * power(x, 2)) / 2;
               }},
               .where = {gelu_tanh_t, gelu_tanh_k}}),
    pointwise({.operation = op::silu,
               .word = "silu",
               .value = [](formula x) { return x * sigmoid_s(x); },
               .derivatives = {[](formula x) { return sigmoid_s(x) * (1 + x * (1 - sigmoid_s(x))); }},
               .where = {sigmoid_s}}),
    pointwise({.operation = op::sigmoid,
               .word = "sigmoid",
               .value = sigmoid,
               .derivatives = {[](formula x) { return sigmoid_y(x) * (1 - sigmoid_y(x)); }},
               .where = {sigmoid_y}}),
    pointwise({.operation = op::softplus,
               .word = "softplus",
               .value = [](formula x) { return log1p(exp(x)); },
               .derivatives = {[](formula x) { return x.owner->apply(op::sigmoid, x); }}}),
    rule{.operation = op::columns,
         .word = "columns",
         .is = kind::selection,
         .factors = {factor::selection},
         .value = [](formulas& f) { return f(symbols::S) * x(f); },
         .derivatives = {[](formulas& f) { return f(symbols::S); }}},
    rule{.operation = op::concat,
         .word = "concat",
         .is = kind::joining,
         .factors = {factor::insertion, factor::insertion, factor::insertion},
         .value = side_by_side,
         .derivatives = {insertion<0>, insertion<1>, insertion<2>}},
    rule{.operation = op::rope,
         .word = "rope",
         .is = kind::rotation,
         .factors = {factor::rotation},
         .has_options = true,
         .value = [](formulas& f) { return rotation(f(symbols::i)) * x(f); },
         .derivatives = {[](formulas& f) { return rotation(f(symbols::i)); }}},
    rule{.operation = op::attend,
         .word = "attend",
         .is = kind::coupling,
         .factors = {factor::queries, factor::keys, factor::values},
         .couples_tokens = true,
         .cacheable = {1, 2},
         .has_options = true,
         .value = attended,
         .derivatives = {by_queries, by_keys, by_values},
         .where = {weight, score, scale, cap_slope, mask}},
};
}  // namespace detail

using detail::rules;

constexpr rule const& rule_of(op operation) { return rules[static_cast<std::size_t>(operation)]; }
constexpr rule const& rule_of(node const& n) { return rule_of(n.operation); }
constexpr kind kind_of(node const& n) { return rule_of(n).is; }

constexpr bool rows_stand_in_order() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].operation != static_cast<op>(i)) return false;
  return true;
}
static_assert(rows_stand_in_order());

/// All operations of a kind, in the order of the table.
constexpr std::vector<op> operations_of(kind which) {
  std::vector<op> list;
  for (rule const& each : rules)
    if (each.is == which) list.push_back(each.operation);
  return list;
}

/// Whether a node reads a parameter of this role: weight and bias where it was made with them, the others always.
constexpr bool reads(node const& n, role which) {
  if (!rule_of(n.operation).parameters.contains(which)) return false;
  switch (which) {
    case role::weight: return n.has_weight;
    case role::bias: return n.has_bias;
    case role::alpha:
    case role::itself: return true;
  }
  throw "residua: no role";
}

}  // namespace residua::calculus
