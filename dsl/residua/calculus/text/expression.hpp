#pragma once
#include <residua/calculus/derive.hpp>
#include <residua/calculus/text/features.hpp>
#include <residua/calculus/text/notation.hpp>
#include <residua/graph/number.hpp>

namespace residua::calculus {

/// Writes a block's values as its author could have: x + F(N(x)). A value that is used more than once gets a name
/// (u1, u2, ... in the order of computation), so that the text stays as small as the graph.
class expression_text {
 public:
  constexpr explicit expression_text(graph_view const& graph)
      : graph_(graph), name_(graph.nodes.size(), 0), closed_(graph.nodes.size(), -1) {
    graph::by_number<int> uses(graph.nodes.size(), 0);
    for (node const& n : graph.nodes)
      for (int operand : n.operands)
        if (operand >= 0 && is_seen_from(n.call, operand)) ++uses[operand];
    for (int at : graph.outputs)
      if (graph.outputs.size() > 1) ++uses[at];
    for (int c = static_cast<int>(graph.calls.size()) - 1; c >= 0; --c) {  // from the last: the outermost claims a result
      graph::call const& call = graph.call_at(c);
      if (call.result == call.argument) continue;
      for (int argument : {call.argument, call.memory})
        if (argument >= 0 && is_seen_from(call.around, argument)) ++uses[argument];
      closed_[call.result] = c;
    }
    int names = 0;
    for (bool seen : {true, false})  // those that only a branch sees come last
      for (int at = 0; at < graph.size(); ++at)
        if (uses[at] > 1 && may_have_name(graph[at]) && is_seen_from(-1, at) == seen) name_[at] = ++names;
  }

  /// The name of a number; with its layer where it stands for another one elsewhere.
  constexpr void write_constant(writer& out, node const& n) const {
    bool is_one = true;
    for (node const& other : graph_.nodes)
      is_one = is_one && (other.symbol.empty() || other.factor == n.factor || other.symbol != n.symbol);
    if (!is_one && graph::layer_scope(graph_, n.scope) > 0) {
      graph::write_path(out, graph_, graph::layer_scope(graph_, n.scope));
      out.add(".");
    }
    out.add(n.symbol);
  }

  /// The name of a value, or its expression where it has none.
  constexpr void write_value(writer& out, int at) const { write_operand(out, at, false, 0); }

  /// A value where no line gives the names: its whole expression if that is short, otherwise as ever.
  constexpr void write_in_place(writer& out, int at) const {
    writer whole;
    write_expression(whole, at, false, longest_in_place);
    if (whole.view().size() <= longest_in_place) out.add(whole.view());
    else write_value(out, at);
  }
  /// diag(N(x))
  constexpr void write_diagonal_of(writer& out, int at, notation style) const {
    write_diagonal(out, style, [&] { write_upright(out, style, [&](writer& value) { write_in_place(value, at); }); });
  }

  /// The points of a factor: x, F(x), (x + F(x)), (u1, u2).
  constexpr void write_points(writer& out, std::array<int, 3> const& points, notation style) const {
    bool const is_alone = points[1] < 0;
    bool const in_parentheses = style == notation::text && (!is_alone || is_sum_in_place(points[0]));
    if (in_parentheses) out.add("(");
    for (std::size_t k = 0; k < points.size() && points[k] >= 0; ++k) {
      if (k > 0) out.add(", ");
      write_upright(out, style, [&](writer& value) { write_in_place(value, points[k]); });
    }
    if (in_parentheses) out.add(")");
  }

  /// The named values that the result needs and the result: u1 = N(x); u1 + F(u1). Several results: streams(N(u1), r + u1).
  constexpr void write_block(writer& out) const {
    bool const several = graph_.outputs.size() > 1;
    for (int at = 1; at < graph_.size(); ++at) {
      if (!is_named(at) || !is_seen_from(-1, at) || (!several && at == graph_.output())) continue;
      write_name(out, at);
      out.add(" = ");
      write_expression(out, at, false);
      out.add("; ");
    }
    if (!several) return write_expression(out, graph_.output(), false);
    std::string_view before = "streams(";
    for (int at : graph_.outputs) {
      out.add(before);
      before = ", ";
      write_value(out, at);
    }
    out.add(")");
  }

  /// A value as a factor of a product: a sum or a multiple in parentheses.
  constexpr void write_as_factor(writer& out, int at) const {
    writer value, name;
    write_in_place(value, at);
    write_name(name, at);
    bool const is_parted = closed_[at] < 0 && (kind_of(graph_[at]) == kind::sum || kind_of(graph_[at]) == kind::scale ||
                                               kind_of(graph_[at]) == kind::token_scale);
    bool const encloses = is_parted && value.view() != name.view();
    if (encloses) out.add("(");
    out.add(value.view());
    if (encloses) out.add(")");
  }

  constexpr bool is_named(int at) const { return name_[at] != 0; }
  constexpr void write_name(writer& out, int at, notation style = notation::text) const {
    out.add(style == notation::text ? "u" : "u_{");
    out.add_integer(name_[at]);
    if (style == notation::latex) out.add("}");
  }
  /// The expression of a value, its own name aside.
  constexpr void write_expression(writer& out, int at, bool as_operand) const { write_expression(out, at, as_operand, 0); }

 private:
  static constexpr bool may_have_name(node const& n) { return kind_of(n) != kind::input && kind_of(n) != kind::term; }
  static constexpr std::size_t longest_in_place = 32;

  /// Whether a value in place has an operator outside of parentheses.
  constexpr bool is_sum_in_place(int at) const {
    writer text;
    write_in_place(text, at);
    int depth = 0;
    for (char c : text.view()) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ' ' && depth == 0) return true;
    }
    return false;
  }

  // `whole`: 0, or the length up to which everything is written out, without names.
  constexpr void write_expression(writer& out, int at, bool as_operand, std::size_t whole) const {
    if (int const call = closed_[at]; call >= 0) {
      graph::call const& branch = graph_.call_at(call);
      return write_application(out, branch.scope, {}, {branch.argument, branch.memory, -1}, whole);
    }
    write_operation(out, at, as_operand, whole);
  }

  /// Whether a value stands at this level of branches: made there, or the result of a branch that was applied there.
  constexpr bool is_seen_from(int call, int at) const {
    int around = graph_[at].call;
    while (around != call && around >= 0 && graph_.call_at(around).result == at) around = graph_.call_at(around).around;
    return around == call;
  }

  constexpr void write_operand(writer& out, int at, bool as_operand, std::size_t whole) const {
    if (whole > 0 && out.view().size() > whole) return;  // too long already
    if (whole == 0 && is_named(at)) return write_name(out, at);
    write_expression(out, at, as_operand, whole);
  }

  constexpr void write_application(writer& out, int scope, std::string_view word, std::array<int, 3> const& arguments,
                                   std::size_t whole) const {
    if (word.empty()) graph::write_path(out, graph_, scope);
    else out.add(word);
    std::string_view before = "(";
    for (int argument : arguments) {
      if (argument < 0) continue;
      out.add(before);
      before = ", ";
      write_operand(out, argument, false, whole);
    }
    out.add(")");
  }

  /// A literal, by its name where it has one, or a learned scalar or vector.
  constexpr void write_number(writer& out, node const& n) const {
    if (reads(n, role::itself)) graph::write_path(out, graph_, n.scope);
    else if (n.symbol.empty()) graph::write(out, n.factor);
    else write_constant(out, n);
  }

  constexpr void write_operation(writer& out, int at, bool as_operand, std::size_t whole) const {
    node const& n = graph_[at];
    std::string_view const word = rule_of(n).word;
    switch (kind_of(n)) {
      case kind::input: return out.add(n.symbol);
      case kind::sum:
        if (as_operand) out.add("(");
        write_operand(out, n.operands[0], false, whole);
        out.add(" ");
        out.add(word);
        out.add(" ");
        write_operand(out, n.operands[1], n.operation == op::subtract, whole);
        if (as_operand) out.add(")");
        return;
      case kind::term: return write_number(out, n);
      case kind::scale:
        write_number(out, n);
        out.add(" * ");
        return write_operand(out, n.operands[0], true, whole);
      case kind::token_scale:
        write_operand(out, n.operands[1], true, whole);
        out.add(" * ");
        return write_operand(out, n.operands[0], true, whole);
      case kind::norm:
      case kind::product: return write_application(out, n.scope, {}, n.operands, whole);
      case kind::selection:  // queries(u1)
        write_features(out, graph_, features_of(graph_, at));
        out.add("(");
        write_operand(out, n.operands[0], false, whole);
        return out.add(")");
      case kind::hadamard:
      case kind::stopped:
      case kind::repetition:
      case kind::reduction:
      case kind::renamed:
      case kind::pointwise:
      case kind::joining:
      case kind::rotation:
      case kind::coupling: return write_application(out, 0, word, n.operands, whole);
    }
  }

  graph_view graph_;
  graph::by_number<int> name_;    // of each node: u<n>, or 0
  graph::by_number<int> closed_;  // the branch whose result a node is, or -1
};

}  // namespace residua::calculus
