#pragma once
#include <residua/calculus/rules.hpp>

namespace residua::calculus {

/// Which values of a block are equal because they are computed alike from equal values. The trace makes one node of them where
/// they stand in one place; a branch and what is around it compute each its own.
class equal_values {
 public:
  constexpr explicit equal_values(graph_view const& graph)
      : graph_(graph), first_(graph.nodes.size(), 0), with_(graph.nodes.size(), -1), before_(graph.nodes.size(), -1) {
    for (int at = 0; at < graph.size(); ++at) first_[at] = find(at);
  }

  /// The first node of the value that a node has.
  constexpr int operator[](int at) const { return first_[at]; }

 private:
  constexpr int find(int at) {
    node const made = compared(at);
    if (kind_of(made) == kind::input) return at;
    int const latest = graph::latest_operand(made);
    int& last = latest < 0 ? last_term_ : with_[latest];
    for (int known = last; known >= 0; known = before_[known])
      if (graph::computes_alike(compared(known), made)) return known;
    before_[at] = last;
    return last = at;
  }

  /// A node without its place, and with the first of its operands' values.
  constexpr node compared(int at) const {
    node made = graph_[at];
    made.call = -1;
    if (!has_name(made)) made.scope = 0;
    for (int& operand : made.operands)
      if (operand >= 0) operand = first_[operand];
    return made;
  }
  /// Whether the scope is the operation's own.
  static constexpr bool has_name(node const& n) {
    switch (kind_of(n)) {
      case kind::norm:
      case kind::product:
      case kind::rotation:
      case kind::coupling: return true;
      case kind::term:
      case kind::scale: return reads(n, role::itself);
      case kind::input:
      case kind::sum:
      case kind::hadamard:
      case kind::stopped:
      case kind::token_scale:
      case kind::repetition:
      case kind::reduction:
      case kind::renamed:
      case kind::pointwise:
      case kind::selection:
      case kind::joining: return false;
    }
    throw "residua: no kind";
  }

  graph_view graph_;
  graph::by_number<int> first_;
  graph::by_number<int> with_;    // the last node whose latest operand a node is
  graph::by_number<int> before_;  // the one before, of the same
  int last_term_ = -1;            // the last node without operands
};

}  // namespace residua::calculus
