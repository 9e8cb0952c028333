#pragma once
#include <algorithm>
#include <residua/calculus/derive.hpp>

namespace residua::calculus {

/// The values that a factor's derivative is taken at: the argument of a branch, all operands of an attention
/// or of what joins features; none of a term.
constexpr std::array<int, 3> points_of(graph_view const& graph, product_factor const& f) {
  if (f.kind == atom::branch) return {graph.call_at(f.index).argument, graph.call_at(f.index).memory, -1};
  if (f.kind == atom::diagonal) return {f.index, -1, -1};
  node const& n = graph[f.index];
  if (rule_of(n).couples_tokens || kind_of(n) == kind::joining) return n.operands;
  if (n.operation == op::inner && f.kind == atom::local) return {n.operands[1 - f.operand], -1, -1};
  return {n.operands[0], -1, -1};
}

/// Whether a factor is another operator at another point. A linear map is one wherever it is applied, and gates, columns
/// and rows are named by their values.
constexpr bool has_point(graph_view const& graph, product_factor const& f) {
  switch (f.kind) {
    case atom::branch: return true;
    case atom::diagonal:
    case atom::sum: return false;
    case atom::parameter: return static_cast<role>(f.operand) != role::bias && kind_of(graph[f.index]) != kind::term;
    case atom::local: break;
  }
  switch (rule_of(graph[f.index]).factors[f.operand]) {
    case factor::activation:
    case factor::norm:
    case factor::queries:
    case factor::keys:
    case factor::values: return true;
    case factor::none:
    case factor::identity:
    case factor::negative:
    case factor::scalar:
    case factor::vector:
    case factor::other:
    case factor::column:
    case factor::row:
    case factor::mean:
    case factor::repetition:
    case factor::stopped:
    case factor::matrix:
    case factor::selection:
    case factor::insertion:
    case factor::rotation: return false;
  }
  throw "residua: no factor";
}

/// The factors of an operator that read like another of it and are not: D_alpha + D_alpha at two points. In a product a factor
/// stands at what its right side gives, so J_N in (I + J_M J_N) (I + J_A J_N) is told apart by its right side, and only what
/// has one right side reads alike.
class alike_factors {
 public:
  constexpr alike_factors(graph_view const& graph, linear_operator const& op)
      : graph_(graph), pool_(op.pool), is_alike_(pool_.factors(), 0) {
    std::vector<int> seen;
    collect(op.root, seen);
    std::vector<int> readings;
    for (int at : seen) readings.push_back(reading(pool_[at]));
    std::sort(readings.begin(), readings.end());
    if (std::adjacent_find(readings.begin(), readings.end()) != readings.end()) visit(op.root, -1);
  }

  constexpr bool operator[](int factor) const { return is_alike_[factor] != 0; }

 private:
  /// A factor, or a product of factors, and what stands to its right.
  struct place {
    int factor = 0;
    int right = -1;  // a place; -1: nothing
  };

  /// The factors with a point, each once.
  constexpr void collect(term const& from, std::vector<int>& seen) {
    graph::by_number<char> known(pool_.factors(), 0);
    collect(from, known, seen);
  }
  constexpr void collect(term const& from, graph::by_number<char>& known, std::vector<int>& seen) const {
    for (int at : pool_.factors_of(from.product)) {
      if (known[at] != 0) continue;
      known[at] = 1;
      if (has_point(graph_, pool_[at])) seen.push_back(at);
      for (term const& each : pool_[at].terms) collect(each, known, seen);
    }
  }

  /// One number for what is written alike.
  constexpr int reading(product_factor const& f) const {
    constexpr int kinds = 16;
    if (f.kind == atom::branch) return kinds * graph_.call_at(f.index).scope + static_cast<int>(f.operand);
    node const& n = graph_[f.index];
    if (f.kind == atom::parameter) return kinds * n.scope + 2 + static_cast<int>(f.operand);
    if (rule_of(n).factors[f.operand] == factor::activation) return -1 - static_cast<int>(n.operation);
    return kinds * n.scope + kinds - 1 - static_cast<int>(f.operand);
  }

  constexpr void visit(term const& t, int right) {
    std::vector<int> const factors = pool_.factors_of(t.product);
    for (std::size_t i = factors.size(); i > 0; --i) {
      int const at = factors[i - 1];
      bool const is_known = find(at, right) < places();
      right = place_of(at, right);
      if (is_known) continue;
      for (term const& each : pool_[at].terms) visit(each, places_[static_cast<std::size_t>(right)].right);
      if (has_point(graph_, pool_[at])) compare(right);
    }
  }
  constexpr int places() const { return static_cast<int>(places_.size()); }
  constexpr int find(int factor, int right) const {
    int at = 0;
    while (at < places() &&
           (places_[static_cast<std::size_t>(at)].factor != factor || places_[static_cast<std::size_t>(at)].right != right))
      ++at;
    return at;
  }
  constexpr int place_of(int factor, int right) {
    int const found = find(factor, right);
    if (found == places()) places_.push_back({factor, right});
    return found;
  }
  constexpr void compare(int at) {
    place const here = places_[static_cast<std::size_t>(at)];
    for (place const& other : places_) {
      if (other.right != here.right || other.factor == here.factor || !has_point(graph_, pool_[other.factor])) continue;
      if (reading(pool_[other.factor]) == reading(pool_[here.factor])) is_alike_[other.factor] = is_alike_[here.factor] = 1;
    }
  }

  graph_view graph_;
  operator_pool const& pool_;
  graph::by_number<char> is_alike_;
  std::vector<place> places_;
};

}  // namespace residua::calculus
