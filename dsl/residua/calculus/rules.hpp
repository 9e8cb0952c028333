#pragma once
#include <residua/graph/graph.hpp>

namespace residua::calculus {

using namespace std::string_view_literals;
using graph::graph_view;
using graph::node;
using graph::op;
using graph::writer;

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

/// A local Jacobian in closed form.
struct local_jacobian {
  std::string_view jacobian;
  std::string_view adjoint;
  std::string_view latex;
};

/// One operation: its word in the language, its value, and its local Jacobian in closed form with adjoint and LaTeX.
/// In the formulas x is the operand, y the result, G the gain of a norm, d the width; all per token, but for attend,
/// where (i, j) is the block between the tokens i of the result and j of the operand, and f the slope of the soft cap.
struct rule {
  op operation;
  std::string_view word;
  std::string_view value;
  std::array<factor, 3> factors;  // one for each operand
  std::string_view jacobian;
  std::string_view adjoint;
  std::string_view latex;
  std::array<local_jacobian, 2> others{};  // of the second and third operand, where they have forms of their own

  constexpr local_jacobian form(std::size_t operand) const {
    if (operand > 0 && !others[operand - 1].jacobian.empty()) return others[operand - 1];
    return {jacobian, adjoint, latex};
  }
};

inline constexpr std::array rules{
    rule{op::input, "stream", "x", {factor::none, factor::none, factor::none}, "", "", ""},
    rule{op::add, "+", "a + b", {factor::identity, factor::identity, factor::none}, "I", "I", "I"},
    rule{op::subtract, "-", "a - b", {factor::identity, factor::negative, factor::none}, "I", "I", "I"},
    rule{op::constant_multiple, "*", "c x", {factor::scalar, factor::none, factor::none}, "c I", "c I", "c I"},
    rule{op::scalar_multiple, "*", "alpha x", {factor::scalar, factor::none, factor::none}, "alpha I", "alpha I", R"(\alpha I)"},
    rule{op::vector_multiple,
         "*",
         "g .* x",
         {factor::vector, factor::none, factor::none},
         "diag(g)",
         "diag(g)",
         R"(\operatorname{diag}(g))"},
    rule{op::hadamard,
         "hadamard",
         "a .* b",
         {factor::other, factor::other, factor::none},
         "diag(b)",
         "diag(b)",
         R"(\operatorname{diag}(b))"},
    rule{op::renamed, "renamed", "x", {factor::identity, factor::none, factor::none}, "I", "I", "I"},
    rule{op::layer_norm,
         "layer_norm",
         "G xh + b, xh = (x - mean(x)) / s, s = sqrt(var(x) + eps)",
         {factor::norm, factor::none, factor::none},
         "G (I - 1 1^T/d - xh xh^T/d) / s",
         "(I - 1 1^T/d - xh xh^T/d) G / s",
         R"(G\,\tfrac{1}{s}\left(I - \tfrac{1}{d}\mathbf{1}\mathbf{1}^\top - \tfrac{1}{d}\hat{x}\hat{x}^\top\right))"},
    rule{op::rms_norm,
         "rms_norm",
         "G xh, xh = x / s, s = sqrt(mean(x^2) + eps)",
         {factor::norm, factor::none, factor::none},
         "G (I - xh xh^T/d) / s",
         "(I - xh xh^T/d) G / s",
         R"(G\,\tfrac{1}{s}\left(I - \tfrac{1}{d}\hat{x}\hat{x}^\top\right))"},
    rule{op::linear, "linear", "x W + b", {factor::matrix, factor::none, factor::none}, "W^T", "W", R"(W^\top)"},
    rule{op::tanh,
         "tanh",
         "tanh(x)",
         {factor::activation, factor::none, factor::none},
         "diag(1 - tanh(x)^2)",
         "diag(1 - tanh(x)^2)",
         R"(\operatorname{diag}(1 - \tanh^2 x))"},
    rule{op::relu,
         "relu",
         "max(x, 0)",
         {factor::activation, factor::none, factor::none},
         "diag(x > 0)",
         "diag(x > 0)",
         R"(\operatorname{diag}(x > 0))"},
    rule{op::relu_squared,
         "relu_squared",
         "max(x, 0)^2",
         {factor::activation, factor::none, factor::none},
         "diag(2 max(x, 0))",
         "diag(2 max(x, 0))",
         R"(\operatorname{diag}(2\max(x, 0)))"},
    rule{op::gelu_erf,
         "gelu_erf",
         "x Phi(x)",
         {factor::activation, factor::none, factor::none},
         "diag(Phi(x) + x phi(x))",
         "diag(Phi(x) + x phi(x))",
         R"(\operatorname{diag}(\Phi(x) + x\varphi(x)))"},
    rule{op::gelu_tanh,
         "gelu_tanh",
         "x (1 + t) / 2, t = tanh(k (x + 0.044715 x^3)), k = sqrt(2/pi)",
         {factor::activation, factor::none, factor::none},
         "diag((1 + t) / 2 + x (1 - t^2) k (1 + 0.134145 x^2) / 2)",
         "diag((1 + t) / 2 + x (1 - t^2) k (1 + 0.134145 x^2) / 2)",
         R"(\operatorname{diag}\left(\tfrac{1 + t}{2} + \tfrac{x}{2}(1 - t^2)\sqrt{2/\pi}(1 + 0.134145x^2)\right))"},
    rule{op::silu,
         "silu",
         "x s, s = sigmoid(x)",
         {factor::activation, factor::none, factor::none},
         "diag(s (1 + x (1 - s)))",
         "diag(s (1 + x (1 - s)))",
         R"(\operatorname{diag}(\sigma(x)(1 + x(1 - \sigma(x)))))"},
    rule{op::sigmoid,
         "sigmoid",
         "1 / (1 + exp(-x))",
         {factor::activation, factor::none, factor::none},
         "diag(y (1 - y))",
         "diag(y (1 - y))",
         R"(\operatorname{diag}(\sigma(x)(1 - \sigma(x))))"},
    rule{op::softplus,
         "softplus",
         "log(1 + exp(x))",
         {factor::activation, factor::none, factor::none},
         "diag(sigmoid(x))",
         "diag(sigmoid(x))",
         R"(\operatorname{diag}(\sigma(x)))"},
    rule{op::columns, "columns", "x S^T", {factor::selection, factor::none, factor::none}, "S", "S^T", "S"},
    rule{op::rope, "rope", "R(i) x_i per head", {factor::rotation, factor::none, factor::none}, "R(i)", "R(-i)", "R(i)"},
    rule{op::attend,
         "attend",
         "o_i = sum_j p_ij v_j, p_i = softmax_j(s_ij), s_ij = c q_i . k_j, per head",
         {factor::queries, factor::keys, factor::values},
         "(i, i): c sum_j p_ij f_ij (v_j - o_i) k_j^T",
         "(i, i): c sum_j p_ij f_ij k_j (v_j - o_i)^T",
         R"((i, i): c \sum_j p_{ij} f_{ij} (v_j - o_i) k_j^\top)",
         {local_jacobian{"(i, j): c p_ij f_ij (v_j - o_i) q_i^T", "(j, i): c p_ij f_ij q_i (v_j - o_i)^T",
                         R"((i, j): c\, p_{ij} f_{ij} (v_j - o_i) q_i^\top)"},
          local_jacobian{"(i, j): p_ij I", "(j, i): p_ij I", R"((i, j): p_{ij} I)"}}},
};

constexpr rule const& rule_of(op operation) { return rules[static_cast<std::size_t>(operation)]; }

constexpr bool rows_stand_in_order() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].operation != static_cast<op>(i)) return false;
  return true;
}
static_assert(rows_stand_in_order());

/// A parameter that a node reads: `.weight` and `.bias` of a norm or linear, or the learned scalar or vector itself.
enum class role : unsigned char { weight, bias, itself };

constexpr std::string_view suffix(role which) {
  return which == role::weight ? ".weight"sv : which == role::bias ? ".bias"sv : ""sv;
}

constexpr bool reads(node const& n, role which) {
  bool const named_itself = n.operation == op::scalar_multiple || n.operation == op::vector_multiple;
  switch (which) {
    case role::weight: return n.has_weight && !named_itself;
    case role::bias: return n.has_bias;
    case role::itself: return named_itself;
  }
  return false;
}

inline constexpr std::array every_role{role::weight, role::bias, role::itself};

}  // namespace residua::calculus
