#pragma once
#include <initializer_list>
#include <residua/calculus/closed_forms.hpp>

namespace residua::calculus {

/// What an operation is, for whoever treats its like alike. A switch over it names every kind and has no default.
enum class kind : unsigned char {
  input,      // a stream that the block reads
  sum,        // a + b, a - b
  scale,      // c x, alpha x, g .* x
  hadamard,   // a .* b
  renamed,    // x, over an axis of another name
  norm,       // each token by its own statistics, with gain and bias
  product,    // x W + b
  pointwise,  // a function of one number, of each element
  selection,  // some of the features
  rotation,   // each head turned by its token's position
  coupling,   // tokens meet: attention
};

/// What stands in front of an operand's derivative: the local Jacobian of one operation, by its kind.
enum class factor : unsigned char {
  none,        // no such operand
  identity,    // I
  negative,    // -I
  scalar,      // c I: a literal or a learned scalar
  vector,      // diag(g): a learned vector
  other,       // diag(b) for the operand a of hadamard(a, b)
  activation,  // diag(f'(x))
  norm,        // per token, full
  matrix,      // W^T
  selection,   // S: some of the features
  rotation,    // R: each head turned by its token's position
  queries,     // Q, K, P: of softmax(c q k^T + mask) v by q, k and v; K and P couple tokens
  keys,
  values,
};

inline constexpr std::array every_role{role::weight, role::bias, role::itself};

constexpr std::string_view suffix(role which) {
  switch (which) {
    case role::weight: return ".weight";
    case role::bias: return ".bias";
    case role::itself: return "";
  }
  throw "residua: no role";
}

/// A few of the operands 0, 1 and 2.
class operand_set {
 public:
  constexpr operand_set(std::initializer_list<unsigned> members = {}) {
    for (unsigned each : members) bits_ |= 1u << each;
  }
  constexpr bool contains(std::size_t which) const { return (bits_ >> which & 1u) != 0; }

 private:
  unsigned bits_ = 0;
};

/// The axes that a parameter lies over.
enum class lies_over : unsigned char {
  nothing,   // a number
  features,  // the feature axis of the result, of one head where heads are worked on alone
  both,      // the feature axes of operand and result
};

/// A parameter that an operation may read, where it lies, and the derivative by it as a map from its change.
struct parameter_rule {
  role which = role::weight;
  lies_over axes = lies_over::features;
  formula_function derivative = nullptr;
};

/// The parameters of an operation, by role.
class parameter_rules {
 public:
  constexpr parameter_rules(std::initializer_list<parameter_rule> given = {}) {
    std::size_t k = 0;
    for (parameter_rule const& each : given) rules_[k++] = each;
  }
  constexpr bool contains(role which) const { return find(which) != nullptr; }
  /// Throws where the operation has no parameter of this role.
  constexpr parameter_rule const& operator[](role which) const {
    if (parameter_rule const* found = find(which)) return *found;
    throw "residua: the operation has no such parameter";
  }

 private:
  constexpr parameter_rule const* find(role which) const {
    for (parameter_rule const& each : rules_)
      if (each.derivative != nullptr && each.which == which) return &each;
    return nullptr;
  }
  std::array<parameter_rule, every_role.size()> rules_{};
};

/// One operation: its word in the language, what it is, its value, and its derivatives by operands and parameters, from
/// which text, LaTeX, adjoints and the tests' numbers are made. In the formulas x is the operand and d the width; all per
/// token, but for attention, where (i, j) is the block between token i of the result and token j of the operand.
struct rule {
  op operation;
  std::string_view word;
  kind is;
  std::array<factor, 3> factors{};  // one for each operand
  parameter_rules parameters{};     // what a node of it may read
  bool couples_tokens = false;      // a token of the result depends on other tokens of an operand
  operand_set cacheable{};          // the operands that are kept for later tokens when a block runs token by token
  bool has_options = false;         // its kernel takes a structure of options, one constant for each node
  formula_function value = nullptr;
  std::array<formula_function, 3> derivatives{};  // one for each operand
  std::array<formula_function, 5> where{};        // the names in them that a line explains, in its order
};

namespace detail {
using namespace closed_forms;

/// A row of a function of one number.
constexpr rule pointwise(op operation, std::string_view word, formula_function value, formula_function derivative,
                         std::array<formula_function, 5> where = {}) {
  return {.operation = operation,
          .word = word,
          .is = kind::pointwise,
          .factors = {factor::activation},
          .value = value,
          .derivatives = {derivative},
          .where = where};
}

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
    rule{.operation = op::renamed,
         .word = "renamed",
         .is = kind::renamed,
         .factors = {factor::identity},
         .value = x,
         .derivatives = {identity}},
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
    rule{.operation = op::linear,
         .word = "linear",
         .is = kind::product,
         .factors = {factor::matrix},
         .parameters = {{role::weight, lies_over::both, linear_by_weight}, {role::bias, lies_over::features, by_bias}},
         .value = linear,
         .derivatives = {[](formulas& f) { return transposed(f.parameter(role::weight)); }}},
    pointwise(
        op::tanh, "tanh", [](formulas& f) { return tanh(x(f)); }, [](formulas& f) { return diagonal(1 - power(tanh(x(f)), 2)); }),
    pointwise(
        op::relu, "relu", [](formulas& f) { return max(x(f), 0); }, [](formulas& f) { return diagonal(x(f) > 0); }),
    pointwise(
        op::relu_squared, "relu_squared", [](formulas& f) { return power(max(x(f), 0), 2); },
        [](formulas& f) { return diagonal(2 * max(x(f), 0)); }),
    pointwise(
        op::gelu_erf, "gelu_erf", [](formulas& f) { return x(f) * Phi(x(f)); },
        [](formulas& f) { return diagonal(Phi(x(f)) + x(f) * phi(x(f))); }),
    pointwise(
        op::gelu_tanh, "gelu_tanh", [](formulas& f) { return x(f) * (1 + gelu_tanh_t(f)) / 2; },
        [](formulas& f) {
          formula const t = gelu_tanh_t(f);
          return diagonal((1 + t) / 2 + x(f) * (1 - power(t, 2)) * gelu_tanh_k(f) * (1 + 0.134145 * power(x(f), 2)) / 2);
        },
        {gelu_tanh_t, gelu_tanh_k}),
    pointwise(
        op::silu, "silu", [](formulas& f) { return x(f) * sigmoid_s(f); },
        [](formulas& f) {
          formula const s = sigmoid_s(f);
          return diagonal(s * (1 + x(f) * (1 - s)));
        },
        {sigmoid_s}),
    pointwise(
        op::sigmoid, "sigmoid", logistic,
        [](formulas& f) {
          formula const y = f.define(symbols::y, logistic(f));
          return diagonal(y * (1 - y));
        },
        {[](formulas& f) { return f.define(symbols::y, logistic(f)); }}),
    pointwise(
        op::softplus, "softplus", [](formulas& f) { return log1p(exp(x(f))); },
        [](formulas& f) { return diagonal(f.apply(op::sigmoid, x(f))); }),
    rule{.operation = op::columns,
         .word = "columns",
         .is = kind::selection,
         .factors = {factor::selection},
         .value = [](formulas& f) { return f(symbols::S) * x(f); },
         .derivatives = {[](formulas& f) { return f(symbols::S); }}},
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

/// Whether a node reads a parameter of this role: weight and bias where it was made with them, the others always.
constexpr bool reads(node const& n, role which) {
  if (!rule_of(n.operation).parameters.contains(which)) return false;
  switch (which) {
    case role::weight: return n.has_weight;
    case role::bias: return n.has_bias;
    case role::itself: return true;
  }
  throw "residua: no role";
}

}  // namespace residua::calculus
