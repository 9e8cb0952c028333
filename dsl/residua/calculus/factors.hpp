#pragma once
#include <residua/calculus/equal_values.hpp>
#include <residua/calculus/linear_operator.hpp>

namespace residua::calculus {

/// The factors of one derivation. Equal operators are one factor: a linear map and a learned vector wherever they are applied to
/// the same tokens, what depends on its point at equal values.
class factor_list {
 public:
  constexpr factor_list(graph_view const& graph, operator_pool& pool)
      : graph_(graph), pool_(pool), values_(graph), last_of_(graph.nodes.size(), -1), of_scope_(graph.scopes.size(), -1) {}

  /// The local Jacobian of a node by an operand.
  constexpr int local(int at, std::size_t operand) {
    factor const is = rule_of(graph_[at]).factors[operand];
    int const first = is == factor::vector || is == factor::matrix ? of_same_tokens(at) : values_[at];
    return find({.kind = atom::local,
                 .index = first,
                 .operand = operand,
                 .is_diagonal = is == factor::vector || is == factor::activation});
  }
  /// diag(v) for the value v of a node.
  constexpr int diagonal(int value) { return find({.kind = atom::diagonal, .index = values_[value], .is_diagonal = true}); }
  /// The derivative of a node by its own parameter. By a bias it is the same at every point.
  constexpr int parameter(int at, role which) {
    int const first = which == role::bias ? of_same_tokens(at) : values_[at];
    return find({.kind = atom::parameter, .index = first, .operand = static_cast<std::size_t>(which)});
  }
  constexpr int branch(int call, std::size_t argument) {
    return pool_.add_factor({.kind = atom::branch, .index = call, .operand = argument});
  }

  /// One node for each scalar with a name, the first that uses it, so that equal scalars are equal numbers.
  constexpr int scalar(int at) {
    if (reads(graph_[at], role::itself)) return first_of_scope(at);
    for (int known : constants_)
      if (graph_[known].symbol == graph_[at].symbol && graph_[known].factor == graph_[at].factor) return known;
    constants_.push_back(at);
    return at;
  }

 private:
  /// The first node of the scope, if it has the tokens of this one.
  constexpr int of_same_tokens(int at) {
    int const first = first_of_scope(at);
    return graph_[first].tokens == graph_[at].tokens ? first : values_[at];
  }
  constexpr int first_of_scope(int at) {
    int& known = of_scope_[graph_[at].scope];
    return known < 0 ? known = at : known;
  }

  constexpr int find(product_factor const& made) {
    for (int known = last_of_[made.index]; known >= 0; known = before_[static_cast<std::size_t>(known)])
      if (pool_[known].kind == made.kind && pool_[known].operand == made.operand) return known;
    int const added = pool_.add_factor(made);
    before_.resize(static_cast<std::size_t>(added) + 1, -1);
    before_.back() = last_of_[made.index];
    return last_of_[made.index] = added;
  }

  graph_view graph_;
  operator_pool& pool_;
  equal_values values_;
  graph::by_number<int> last_of_;  // of each node: its last factor
  std::vector<int> before_;        // of each factor: the one before, of the same node
  graph::by_number<int> of_scope_;
  std::vector<int> constants_;
};

}  // namespace residua::calculus
