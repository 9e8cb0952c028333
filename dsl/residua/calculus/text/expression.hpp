#pragma once
#include <residua/calculus/derive.hpp>
#include <residua/graph/number.hpp>

namespace residua::calculus {

/// Writes a block's values as its author could have: x + F(N(x)). A value that is used more than once gets a name
/// (u1, u2, ... in the order of computation), so that the text stays as small as the graph.
class expression_text {
 public:
  constexpr explicit expression_text(graph_view const& graph)
      : graph_(graph), name_(graph.nodes.size(), 0), closed_(graph.nodes.size(), -1) {
    std::vector<int> uses(graph.nodes.size(), 0);
    for (node const& n : graph.nodes)
      for (int operand : n.operands)
        if (operand >= 0 && is_seen_from(n.call, operand)) ++uses[static_cast<std::size_t>(operand)];
    for (std::size_t c = graph.calls.size(); c > 0; --c) {  // from the last, so that the outermost branch claims a result
      graph::call const& call = graph.calls[c - 1];
      if (call.result == call.argument) continue;
      for (int argument : {call.argument, call.memory})
        if (argument >= 0 && is_seen_from(call.around, argument)) ++uses[static_cast<std::size_t>(argument)];
      closed_[static_cast<std::size_t>(call.result)] = static_cast<int>(c) - 1;
    }
    int names = 0;
    for (bool seen : {true, false})  // those that only a branch sees come last
      for (std::size_t i = 1; i < graph.nodes.size(); ++i)
        if (uses[i] > 1 && is_seen_from(-1, static_cast<int>(i)) == seen) name_[i] = ++names;
  }

  /// The name of a value, or its expression where it has none.
  constexpr void write_value(writer& out, int at) const { write_operand(out, at, false); }

  /// The named values that the result needs and the result: u1 = N(x); u1 + F(u1).
  constexpr void write_block(writer& out) const {
    for (std::size_t i = 1; i < graph_.nodes.size(); ++i) {
      if (name_[i] == 0 || !is_seen_from(-1, static_cast<int>(i)) || static_cast<int>(i) == graph_.output()) continue;
      write_name(out, static_cast<int>(i));
      out.add(" = ");
      write_expression(out, static_cast<int>(i), false);
      out.add("; ");
    }
    write_expression(out, graph_.output(), false);
  }

  constexpr bool is_named(int at) const { return name_[static_cast<std::size_t>(at)] != 0; }
  constexpr void write_name(writer& out, int at) const {
    out.add("u");
    out.add_integer(name_[static_cast<std::size_t>(at)]);
  }
  /// The expression of a value, its own name aside.
  constexpr void write_expression(writer& out, int at, bool as_operand) const {
    if (int const call = closed_[static_cast<std::size_t>(at)]; call >= 0) {
      graph::call const& branch = graph_.calls[static_cast<std::size_t>(call)];
      return write_application(out, branch.scope, {}, {branch.argument, branch.memory, -1});
    }
    write_operation(out, at, as_operand);
  }

 private:
  /// Whether a value stands at this level of branches: made there, or the result of a branch that was applied there.
  constexpr bool is_seen_from(int call, int at) const {
    int around = graph_.nodes[static_cast<std::size_t>(at)].call;
    while (around != call && around >= 0 && graph_.calls[static_cast<std::size_t>(around)].result == at)
      around = graph_.calls[static_cast<std::size_t>(around)].around;
    return around == call;
  }

  constexpr void write_operand(writer& out, int at, bool as_operand) const {
    if (is_named(at)) return write_name(out, at);
    write_expression(out, at, as_operand);
  }

  constexpr void write_application(writer& out, int scope, std::string_view word, std::array<int, 3> const& arguments) const {
    if (word.empty()) graph::write_path(out, graph_, scope);
    else out.add(word);
    std::string_view before = "(";
    for (int argument : arguments) {
      if (argument < 0) continue;
      out.add(before);
      before = ", ";
      write_operand(out, argument, false);
    }
    out.add(")");
  }

  constexpr void write_operation(writer& out, int at, bool as_operand) const {
    node const& n = graph_.nodes[static_cast<std::size_t>(at)];
    rule const& row = rule_of(n.operation);
    switch (n.operation) {
      case op::input: return out.add(n.symbol);
      case op::add:
      case op::subtract:
        if (as_operand) out.add("(");
        write_operand(out, n.operands[0], false);
        out.add(n.operation == op::add ? " + " : " - ");
        write_operand(out, n.operands[1], n.operation == op::subtract);
        if (as_operand) out.add(")");
        return;
      case op::constant_multiple:
        if (n.symbol.empty()) graph::write(out, n.factor);
        else out.add(n.symbol);
        out.add(" * ");
        return write_operand(out, n.operands[0], true);
      case op::scalar_multiple:
      case op::vector_multiple:
        graph::write_path(out, graph_, n.scope);
        out.add(" * ");
        return write_operand(out, n.operands[0], true);
      case op::layer_norm:
      case op::rms_norm:
      case op::linear: return write_application(out, n.scope, {}, n.operands);
      case op::columns: return write_application(out, 0, n.shape.feature().name, n.operands);  // queries(u1)
      default: return write_application(out, 0, row.word, n.operands);
    }
  }

  graph_view graph_;
  std::vector<int> name_;    // of each node: u<n>, or 0
  std::vector<int> closed_;  // the branch whose result a node is, or -1
};

}  // namespace residua::calculus
