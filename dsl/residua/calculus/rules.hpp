#pragma once
#include <initializer_list>
#include <residua/graph/graph.hpp>

namespace residua::calculus {

using graph::graph_view;
using graph::node;
using graph::op;
using graph::writer;

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

/// A parameter that a node reads: `.weight` and `.bias` of a norm or linear, or the learned scalar or vector itself.
enum class role : unsigned char { weight, bias, itself };

inline constexpr std::array every_role{role::weight, role::bias, role::itself};

constexpr std::string_view suffix(role which) {
  switch (which) {
    case role::weight: return ".weight";
    case role::bias: return ".bias";
    case role::itself: return "";
  }
  throw "residua: no role";
}

/// A few of the roles, or of the operands 0, 1 and 2.
template <class Member>
class set_of {
 public:
  constexpr set_of(std::initializer_list<Member> members) {
    for (Member each : members) bits_ |= bit(each);
  }
  constexpr bool contains(Member which) const { return (bits_ & bit(which)) != 0; }

 private:
  static constexpr unsigned bit(Member which) { return 1u << static_cast<unsigned>(which); }
  unsigned bits_ = 0;
};

/// A local Jacobian in closed form.
struct local_jacobian {
  std::string_view jacobian;
  std::string_view adjoint;
};

/// One operation: its word in the language, its value, and its local Jacobian in closed form with adjoint.
/// In the formulas x is the operand, y the result, G the gain of a norm, d the width; all per token, but for attend,
/// where (i, j) is the block between the tokens i of the result and j of the operand, and f the slope of the soft cap.
struct rule {
  op operation;
  std::string_view word;
  kind is;
  std::array<factor, 3> factors{};  // one for each operand
  set_of<role> parameters{};        // what a node of it may read
  bool couples_tokens = false;      // a token of the result depends on other tokens of an operand
  set_of<std::size_t> cacheable{};  // the operands that are kept for later tokens when a block runs token by token
  bool has_options = false;         // its kernel takes a structure of options, one constant for each node
  std::string_view value{};
  std::array<local_jacobian, 3> forms{};  // one for each operand
};

inline constexpr std::array rules{
    rule{.operation = op::input, .word = "stream", .is = kind::input, .value = "x"},
    rule{.operation = op::add,
         .word = "+",
         .is = kind::sum,
         .factors = {factor::identity, factor::identity},
         .value = "a + b",
         .forms = {{{"I", "I"}, {"I", "I"}}}},
    rule{.operation = op::subtract,
         .word = "-",
         .is = kind::sum,
         .factors = {factor::identity, factor::negative},
         .value = "a - b",
         .forms = {{{"I", "I"}, {"-I", "-I"}}}},
    rule{.operation = op::constant_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::scalar},
         .value = "c x",
         .forms = {{{"c I", "c I"}}}},
    rule{.operation = op::scalar_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::scalar},
         .parameters = {role::itself},
         .value = "alpha x",
         .forms = {{{"alpha I", "alpha I"}}}},
    rule{.operation = op::vector_multiple,
         .word = "*",
         .is = kind::scale,
         .factors = {factor::vector},
         .parameters = {role::itself},
         .value = "g .* x",
         .forms = {{{"diag(g)", "diag(g)"}}}},
    rule{.operation = op::hadamard,
         .word = "hadamard",
         .is = kind::hadamard,
         .factors = {factor::other, factor::other},
         .value = "a .* b",
         .forms = {{{"diag(b)", "diag(b)"}, {"diag(a)", "diag(a)"}}}},
    rule{.operation = op::renamed,
         .word = "renamed",
         .is = kind::renamed,
         .factors = {factor::identity},
         .value = "x",
         .forms = {{{"I", "I"}}}},
    rule{.operation = op::layer_norm,
         .word = "layer_norm",
         .is = kind::norm,
         .factors = {factor::norm},
         .parameters = {role::weight, role::bias},
         .value = "G xh + b, xh = (x - mean(x)) / s, s = sqrt(var(x) + eps)",
         .forms = {{{"G (I - 1 1^T/d - xh xh^T/d) / s", "(I - 1 1^T/d - xh xh^T/d) G / s"}}}},
    rule{.operation = op::rms_norm,
         .word = "rms_norm",
         .is = kind::norm,
         .factors = {factor::norm},
         .parameters = {role::weight},
         .value = "G xh, xh = x / s, s = sqrt(mean(x^2) + eps)",
         .forms = {{{"G (I - xh xh^T/d) / s", "(I - xh xh^T/d) G / s"}}}},
    rule{.operation = op::linear,
         .word = "linear",
         .is = kind::product,
         .factors = {factor::matrix},
         .parameters = {role::weight, role::bias},
         .value = "x W + b",
         .forms = {{{"W^T", "W"}}}},
    rule{.operation = op::tanh,
         .word = "tanh",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "tanh(x)",
         .forms = {{{"diag(1 - tanh(x)^2)", "diag(1 - tanh(x)^2)"}}}},
    rule{.operation = op::relu,
         .word = "relu",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "max(x, 0)",
         .forms = {{{"diag(x > 0)", "diag(x > 0)"}}}},
    rule{.operation = op::relu_squared,
         .word = "relu_squared",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "max(x, 0)^2",
         .forms = {{{"diag(2 max(x, 0))", "diag(2 max(x, 0))"}}}},
    rule{.operation = op::gelu_erf,
         .word = "gelu_erf",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "x Phi(x)",
         .forms = {{{"diag(Phi(x) + x phi(x))", "diag(Phi(x) + x phi(x))"}}}},
    rule{.operation = op::gelu_tanh,
         .word = "gelu_tanh",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "x (1 + t) / 2, t = tanh(k (x + 0.044715 x^3)), k = sqrt(2/pi)",
         .forms = {{{"diag((1 + t) / 2 + x (1 - t^2) k (1 + 0.134145 x^2) / 2)",
                     "diag((1 + t) / 2 + x (1 - t^2) k (1 + 0.134145 x^2) / 2)"}}}},
    rule{.operation = op::silu,
         .word = "silu",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "x s, s = sigmoid(x)",
         .forms = {{{"diag(s (1 + x (1 - s)))", "diag(s (1 + x (1 - s)))"}}}},
    rule{.operation = op::sigmoid,
         .word = "sigmoid",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "1 / (1 + exp(-x))",
         .forms = {{{"diag(y (1 - y))", "diag(y (1 - y))"}}}},
    rule{.operation = op::softplus,
         .word = "softplus",
         .is = kind::pointwise,
         .factors = {factor::activation},
         .value = "log(1 + exp(x))",
         .forms = {{{"diag(sigmoid(x))", "diag(sigmoid(x))"}}}},
    rule{.operation = op::columns,
         .word = "columns",
         .is = kind::selection,
         .factors = {factor::selection},
         .value = "x S^T",
         .forms = {{{"S", "S^T"}}}},
    rule{.operation = op::rope,
         .word = "rope",
         .is = kind::rotation,
         .factors = {factor::rotation},
         .has_options = true,
         .value = "R(i) x_i per head",
         .forms = {{{"R(i)", "R(-i)"}}}},
    rule{.operation = op::attend,
         .word = "attend",
         .is = kind::coupling,
         .factors = {factor::queries, factor::keys, factor::values},
         .couples_tokens = true,
         .cacheable = {1, 2},
         .has_options = true,
         .value = "o_i = sum_j p_ij v_j, p_i = softmax_j(s_ij), s_ij = c q_i . k_j, per head",
         .forms = {{{"(i, i): c sum_j p_ij f_ij (v_j - o_i) k_j^T", "(i, i): c sum_j p_ij f_ij k_j (v_j - o_i)^T"},
                    {"(i, j): c p_ij f_ij (v_j - o_i) q_i^T", "(j, i): c p_ij f_ij q_i (v_j - o_i)^T"},
                    {"(i, j): p_ij I", "(j, i): p_ij I"}}}},
};

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
