#pragma once
#include <residua/graph/graph.hpp>
#include <vector>

namespace residua::calculus {

using graph::graph_view;
using graph::node;
using graph::op;
using graph::role;
using graph::writer;

/// What a node of a formula is. a, b and c are its parts.
enum class form : unsigned char {
  number,       // 0.5
  symbol,       // x, q_i, I: a value that has a name and no formula
  definition,   // s: a name for a, which a line of its own may give
  parameter,    // N.weight: a parameter of the operation
  operand,      // an operand of the operation, as its author wrote it
  sum,          // a + b
  difference,   // a - b
  negative,     // -a
  product,      // a b
  hadamard,     // a .* b
  quotient,     // a / b
  ratio,        // a/b, inside a sum of matrices
  power,        // a^b, of each element
  function,     // tanh(a)
  extreme,      // max(a, b)
  root,         // sqrt(a)
  application,  // the value of another pointwise operation at a
  magnitude,    // |a|
  relation,     // a > b as a number, 1 or 0; of a chain a < b <= c, b is a relation itself
  transposed,   // a^T
  outer,        // a b^T
  dot,          // a . b
  inner,        // <a, b>, the same over all tokens
  diagonal,     // diag(a)
  rotation,     // R(a): each head turned by position a
  total,        // sum_j a
  softmax,      // softmax_j(a), over those j for which b holds
  block,        // (a, b): c, where row a of the tokens meets column b
  map,          // a -> b
  over_tokens,  // sum of a over tokens
  each_token,   // a at each token
  only_where,   // zero unless a
};

/// A name in both notations. What is no scalar does not change places in a product; the symmetric is its own transpose.
struct symbol {
  std::string_view text{};
  std::string_view latex{};
  bool is_scalar = true;
  bool is_symmetric = false;
};

struct formula_node {
  form is = form::number;
  std::array<int, 3> parts{-1, -1, -1};
  bool is_scalar = true;
  symbol name{};  // of a symbol, definition, function or relation
  symbol head{};  // of a definition: what its line calls it, p_i for p_ij
  double number = 0;
  role which = role::weight;  // of a parameter
  op operation = op::input;   // of an application
  std::size_t operand = 0;
};

class formulas;

/// One formula among `formulas`. An absent one, as the gain of a norm without weight, is left out of sums and products.
struct formula {
  formulas* owner = nullptr;
  int at = -1;

  constexpr bool is_absent() const { return at < 0; }
};

/// Formulas of one node, built when they are asked for, in constant evaluation and at run time alike.
class formulas {
 public:
  constexpr explicit formulas(node const& of) : of_(of) {}
  formulas(formulas const&) = delete;

  constexpr node const& of() const { return of_; }
  constexpr formula_node const& operator[](int at) const { return nodes_[static_cast<std::size_t>(at)]; }

  constexpr formula absent() { return {this, -1}; }
  constexpr formula operator()(double number) { return add({.number = number}); }
  constexpr formula operator()(symbol const& name) {
    return add({.is = form::symbol, .is_scalar = name.is_scalar, .name = name});
  }
  constexpr formula parameter(role which, bool is_scalar = false) {
    return add({.is = form::parameter, .is_scalar = is_scalar, .which = which});
  }
  constexpr formula operand(std::size_t k, bool is_scalar = false) {
    return add({.is = form::operand, .is_scalar = is_scalar, .operand = k});
  }
  /// A name for a formula; `head` where the line that gives it calls it otherwise.
  constexpr formula define(symbol const& name, formula body, symbol const& head = {}) {
    return add({.is = form::definition,
                .parts = {body.at, -1, -1},
                .is_scalar = name.is_scalar,
                .name = name,
                .head = head.text.empty() ? name : head});
  }
  /// The value of a pointwise operation at x.
  constexpr formula apply(op operation, formula x) {
    return add({.is = form::application, .parts = {x.at, -1, -1}, .is_scalar = (*this)[x.at].is_scalar, .operation = operation});
  }
  constexpr formula function(symbol const& name, formula x) {
    return add({.is = form::function, .parts = {x.at, -1, -1}, .is_scalar = name.is_scalar, .name = name});
  }
  constexpr formula relation(formula a, symbol const& word, formula b) {
    return add({.is = form::relation, .parts = {a.at, b.at, -1}, .name = word});
  }
  constexpr formula combine(form is, bool is_scalar, formula a, formula b = {}, formula c = {}) {
    return add({.is = is, .parts = {a.at, b.at, c.at}, .is_scalar = is_scalar});
  }
  constexpr bool is_scalar(formula a) const { return (*this)[a.at].is_scalar; }
  constexpr formula part(formula a, std::size_t k) { return {this, (*this)[a.at].parts[k]}; }

 private:
  constexpr formula add(formula_node made) {
    nodes_.push_back(made);
    return {this, static_cast<int>(nodes_.size()) - 1};
  }

  node of_;
  std::vector<formula_node> nodes_;
};

namespace detail {
/// a and b of one shape, or a scalar with each element.
constexpr formula elementwise(form is, formula a, formula b) {
  return a.owner->combine(is, a.owner->is_scalar(a) && a.owner->is_scalar(b), a, b);
}
}  // namespace detail

constexpr formula operator+(formula a, formula b) {
  return a.is_absent() ? b : b.is_absent() ? a : detail::elementwise(form::sum, a, b);
}
constexpr formula operator-(formula a, formula b) { return b.is_absent() ? a : detail::elementwise(form::difference, a, b); }
constexpr formula operator*(formula a, formula b) {
  return a.is_absent() ? b : b.is_absent() ? a : detail::elementwise(form::product, a, b);
}
constexpr formula operator/(formula a, formula b) { return detail::elementwise(form::quotient, a, b); }
constexpr formula operator+(double a, formula b) { return (*b.owner)(a) + b; }
constexpr formula operator+(formula a, double b) { return a + (*a.owner)(b); }
constexpr formula operator-(double a, formula b) { return (*b.owner)(a)-b; }
constexpr formula operator-(formula a, double b) { return a - (*a.owner)(b); }
constexpr formula operator*(double a, formula b) { return (*b.owner)(a)*b; }
constexpr formula operator/(double a, formula b) { return (*b.owner)(a) / b; }
constexpr formula operator/(formula a, double b) { return a / (*a.owner)(b); }
constexpr formula operator-(formula a) { return a.owner->combine(form::negative, a.owner->is_scalar(a), a); }
constexpr formula operator>(formula a, double b) { return a.owner->relation(a, {">", ">"}, (*a.owner)(b)); }
constexpr formula operator<(formula a, formula b) { return a.owner->relation(a, {"<", "<"}, b); }
constexpr formula operator<=(formula a, formula b) { return a.owner->relation(a, {"<=", "\\le"}, b); }
constexpr formula ratio(formula a, formula b) { return detail::elementwise(form::ratio, a, b); }
constexpr formula power(formula a, double b) { return detail::elementwise(form::power, a, (*a.owner)(b)); }
constexpr formula max(formula a, double b) { return detail::elementwise(form::extreme, a, (*a.owner)(b)); }
constexpr formula hadamard(formula a, formula b) { return a.owner->combine(form::hadamard, false, a, b); }
constexpr formula sqrt(formula a) { return a.owner->combine(form::root, a.owner->is_scalar(a), a); }
constexpr formula abs(formula a) { return a.owner->combine(form::magnitude, a.owner->is_scalar(a), a); }
constexpr formula exp(formula a) { return a.owner->function({"exp", "\\exp", a.owner->is_scalar(a)}, a); }
constexpr formula log1p(formula a) { return a.owner->function({"log1p", "\\operatorname{log1p}", a.owner->is_scalar(a)}, a); }
constexpr formula tanh(formula a) { return a.owner->function({"tanh", "\\tanh", a.owner->is_scalar(a)}, a); }
/// The normal distribution and its density.
constexpr formula Phi(formula a) { return a.owner->function({"Phi", "\\Phi", a.owner->is_scalar(a)}, a); }
constexpr formula phi(formula a) { return a.owner->function({"phi", "\\varphi", a.owner->is_scalar(a)}, a); }
/// Mean and variance over the elements of a vector.
constexpr formula mean(formula a) { return a.owner->function({"mean", "\\operatorname{mean}"}, a); }
constexpr formula var(formula a) { return a.owner->function({"var", "\\operatorname{var}"}, a); }
constexpr formula outer(formula a, formula b) { return a.owner->combine(form::outer, false, a, b); }
constexpr formula dot(formula a, formula b) { return a.owner->combine(form::dot, true, a, b); }
constexpr formula inner(formula a, formula b) { return a.owner->combine(form::inner, true, a, b); }
constexpr formula diagonal(formula a) { return a.owner->combine(form::diagonal, false, a); }
constexpr formula rotation(formula position) { return position.owner->combine(form::rotation, false, position); }
constexpr formula total(formula a) { return a.owner->combine(form::total, a.owner->is_scalar(a), a); }
constexpr formula softmax(formula scores, formula where) { return scores.owner->combine(form::softmax, true, scores, where); }
constexpr formula block_at(formula row, formula column, formula a) {
  return a.owner->combine(form::block, false, row, column, a);
}
constexpr formula map(formula from, formula to) { return to.owner->combine(form::map, false, from, to); }
constexpr formula over_tokens(formula a) { return a.owner->combine(form::over_tokens, false, a); }
constexpr formula each_token(formula a) { return a.owner->combine(form::each_token, false, a); }
constexpr formula only_where(formula a) { return a.is_absent() ? a : a.owner->combine(form::only_where, true, a); }

/// a^T, pushed down to the names: (A b c^T)^T = c b^T A^T, scalars stay in front. Throws at what is no linear operator.
constexpr formula transposed(formula a) {
  formulas& all = *a.owner;
  formula_node const at = all[a.at];
  if (at.is_scalar) return a;
  auto part = [&](std::size_t k) { return all.part(a, k); };
  switch (at.is) {
    case form::symbol:
    case form::definition:
      if (at.name.is_symmetric) return a;
      return all.combine(form::transposed, false, a);
    case form::parameter:
    case form::operand: return all.combine(form::transposed, false, a);
    case form::transposed: return part(0);
    case form::diagonal: return a;
    case form::sum: return transposed(part(0)) + transposed(part(1));
    case form::difference: return transposed(part(0)) - transposed(part(1));
    case form::negative: return -transposed(part(0));
    case form::quotient: return transposed(part(0)) / part(1);
    case form::ratio: return ratio(transposed(part(0)), part(1));
    case form::product:
      if (all.is_scalar(part(0))) return part(0) * transposed(part(1));
      return transposed(part(1)) * transposed(part(0));
    case form::outer: return outer(part(1), part(0));
    case form::rotation: return rotation(-part(0));
    case form::total: return total(transposed(part(0)));
    case form::each_token: return over_tokens(transposed(part(0)));
    case form::block: return block_at(part(1), part(0), transposed(part(2)));
    default: throw "residua: only a linear operator has a transpose";
  }
}

namespace detail {
/// What <g, d> is the derivative of: the adjoint of d -> to, which is linear in d, applied to g at one token.
constexpr formula pulled_back(formula to, formula d, formula g) {
  formulas& all = *to.owner;
  auto part = [&](std::size_t k) { return all.part(to, k); };
  auto is_d = [&](formula a) { return all[a.at].is == form::symbol && all[a.at].name.text == all[d.at].name.text; };
  switch (all[to.at].is) {
    case form::each_token: return pulled_back(part(0), d, g);
    case form::symbol: return g;
    case form::hadamard: return hadamard(is_d(part(0)) ? part(1) : part(0), g);
    case form::product: return is_d(part(0)) ? inner(part(1), g) : transposed(part(0)) * g;
    default: throw "residua: no adjoint of this map";
  }
}
}  // namespace detail

/// The adjoint of an operator, or of a map from a parameter: of dW -> x dW it is g -> sum of x^T g over tokens.
constexpr formula adjoint(formula a) {
  formulas& all = *a.owner;
  if (all[a.at].is != form::map) return transposed(a);
  formula const g = all(symbol{"g", "g", false});
  return map(g, over_tokens(detail::pulled_back(all.part(a, 1), all.part(a, 0), g)));
}

}  // namespace residua::calculus
