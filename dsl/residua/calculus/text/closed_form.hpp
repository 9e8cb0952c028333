#pragma once
#include <residua/calculus/text/block_matrix.hpp>
#include <residua/calculus/text/formula.hpp>

namespace residua::calculus {

/// The closed form of a local Jacobian or of D_W: a row's derivative by an operand or by a parameter.
constexpr formula closed_form_of(formulas& all, product_factor const& f) {
  rule const& row = rule_of(all.of());
  if (f.kind == atom::parameter) return row.parameters[static_cast<role>(f.operand)].derivative(all);
  return row.derivatives[f.operand](all);
}

/// The local Jacobian of one factor in closed form, or that of its adjoint, or the derivative by a parameter.
constexpr void write_closed_form(writer& out, graph_view const& graph, product_factor const& f, bool of_adjoint = false,
                                 notation style = notation::text) {
  if (f.kind == atom::diagonal) return expression_text(graph).write_diagonal_of(out, f.index, style);  // its own adjoint
  formulas all(graph[f.index]);
  formula const closed = closed_form_of(all, f);
  formula_text(graph, all, style).write(out, of_adjoint ? adjoint(closed) : closed);
}

/// The factors of an operator that have a definition to give, each once, in the order in which they are read.
constexpr void collect_factors(operator_pool const& pool, term const& from, std::vector<int>& found) {
  for (int at : pool.factors_of(from.product)) {
    bool known = false;
    for (int each : found) known = known || each == at;
    if (known) continue;
    if (pool[at].kind == atom::sum)
      for (term const& each : pool[at].terms) collect_factors(pool, each, found);
    else found.push_back(at);
  }
}

/// Writes J = ..., then what each factor is and where it is taken, a line each:
///   J_N = diag(N.weight) (I - 1 1^T/d - xh xh^T/d) / s, xh = (x - mean(x)) / s, s = sqrt(var(x) + 1e-5), at x
/// In LaTeX the lines of an align environment. What the letters of an activation stand for is said there alone: a text is
/// read beside docs/jacobian.md.
class expanded_text {
 public:
  constexpr expanded_text(writer& out, graph_view const& graph, notation style)
      : out_(out), graph_(graph), values_(graph), style_(style) {}

  /// One derivative's own line; `name` is what it is called there.
  constexpr void write_formula(derivative_block const& of, std::string_view name = "J") {
    begin_line();
    out_.add(name);
    write_equals();
    write_derivatives(out_, graph_, of, style_);
    end_line();
  }

  /// The line of a derivative, or of several as a matrix, those of their factors, and those of the values that these are
  /// taken at.
  constexpr void write(derivative_block const& of, std::string_view name = "J") {
    turned_.clear();
    written_.clear();
    known_.clear();
    write_formula(of, name);
    for (std::size_t row = 0; row < of.results; ++row)
      for (std::size_t column = 0; column < of.inputs; ++column)
        write_factors(derive(graph_, of.at(row, column)), of.with_points);
    for (int at = 1; at < graph_.size(); ++at) {
      if (!values_.is_named(at)) continue;
      begin_line();
      values_.write_name(out_, at, style_);
      write_equals();
      write_upright(out_, style_, [&](writer& text) { values_.write_expression(text, at, false); });
      end_line();
    }
  }

 private:
  constexpr bool is_latex() const { return style_ == notation::latex; }
  constexpr void add(std::string_view text, std::string_view latex) { out_.add(is_latex() ? latex : text); }
  constexpr void begin_line() {
    if (is_latex()) out_.add(any_ ? " \\\\\n  " : "  ");
    any_ = true;
  }
  constexpr void end_line() { add("\n", ""); }
  constexpr void write_equals() { add(" = ", " &= "); }
  constexpr void write_value(int at) {
    if (values_.is_named(at)) return values_.write_name(out_, at, style_);
    write_upright(out_, style_, [&](writer& text) { values_.write_value(text, at); });
  }

  constexpr void write_factors(linear_operator const& from, bool with_points = false) {
    operator_text const names(graph_, from, style_, with_points);
    std::vector<int> factors;
    collect_factors(from.pool, from.root, factors);
    for (int at : factors) {
      product_factor const& f = from.pool[at];
      if (is_said(f) || is_written(f)) continue;
      begin_line();
      names.write_factor(out_, at);
      write_equals();
      if (f.kind == atom::branch) write_branch(f);
      else write_operation(f);
    }
  }

  /// Whether a factor's name says all of it, or a line has: queries and keys of an attention turn alike.
  constexpr bool is_said(product_factor const& f) {
    if (f.kind == atom::diagonal) return true;
    if (f.kind != atom::local) return false;
    node const& n = graph_[f.index];
    switch (rule_of(n).factors[f.operand]) {
      case factor::vector:
      case factor::column:
      case factor::row:
      case factor::selection:
      case factor::insertion: return true;
      case factor::rotation:
        for (int each : turned_)
          if (each == n.scope) return true;
        turned_.push_back(n.scope);
        return false;
      case factor::mean: return is_known(graph_[n.operands[0]].shape.feature().name, 'E');
      case factor::repetition: return is_known(n.shape.axes[n.shape.rank - 2].name, '1');
      case factor::none:
      case factor::identity:
      case factor::stopped:
      case factor::negative:
      case factor::scalar:
      case factor::other:
      case factor::activation:
      case factor::norm:
      case factor::matrix:
      case factor::queries:
      case factor::keys:
      case factor::values: return false;
    }
    throw "residua: no factor";
  }

  /// Whether a factor has its line, and notes it.
  constexpr bool is_written(product_factor const& f) {
    for (product_factor const& each : written_)
      if (each.kind == f.kind && each.index == f.index && each.operand == f.operand) return true;
    written_.push_back({.kind = f.kind, .index = f.index, .operand = f.operand});
    return false;
  }

  /// A branch: its own derivative, and that one's factors on lines of their own.
  constexpr void write_branch(product_factor const& f) {
    graph::call const& call = graph_.call_at(f.index);
    linear_operator const inside = derive(graph_, {.input = f.operand, .inside = f.index});
    operator_text(graph_, inside, style_).write(out_, inside.root);
    write_point(call.argument);
    if (call.memory >= 0) {
      out_.add(", ");
      write_value(call.memory);
    }
    end_line();
    write_factors(inside);
  }

  constexpr void write_operation(product_factor const& f) {
    node const& n = graph_[f.index];
    formulas all(n);
    formula_text const text(graph_, all, style_);
    text.write(out_, closed_form_of(all, f));
    if (f.kind == atom::local && (is_latex() || kind_of(n) != kind::pointwise)) write_where(n, all, text);
    if (has_point(f)) write_point(n.operands[0]);
    end_line();
  }

  struct axis_symbol {
    std::string_view axis{};
    char letter = 0;

    constexpr bool operator==(axis_symbol const&) const = default;
  };
  constexpr bool is_known(std::string_view axis, char letter) {
    for (axis_symbol const& each : known_)
      if (each == axis_symbol{axis, letter}) return true;
    known_.push_back({axis, letter});
    return false;
  }

  /// Whether a closed form is taken at the operand, and does not say so itself.
  constexpr bool has_point(product_factor const& f) const {
    node const& n = graph_[f.index];
    switch (kind_of(n)) {
      case kind::term: return false;
      case kind::rotation:
      case kind::repetition:
      case kind::reduction:
      case kind::coupling: return f.kind == atom::parameter;
      default: return true;
    }
  }

  /// What the names in a closed form stand for.
  constexpr void write_where(node const& n, formulas& all, formula_text const& text) {
    for (formula_function const& definition : rule_of(n).where) {
      if (!definition.is_stated()) break;
      formula const each = definition(all);
      if (each.is_absent()) continue;
      add(", ", ",\\quad ");
      text.write_line(out_, each);
    }
    if (kind_of(n) != kind::norm || n.groups == 1) return;
    add(", per head of d = ", ",\\quad \\text{per head of } d = ");
    out_.add_integer(n.shape.feature().extent / n.groups);
  }

  constexpr void write_point(int at) {
    add(", at ", ",\\quad \\text{at } ");
    write_value(at);
  }

  writer& out_;
  graph_view graph_;
  expression_text values_;
  notation style_;
  bool any_ = false;                     // whether there is a line yet
  std::vector<int> turned_;              // the attentions whose R is written
  std::vector<product_factor> written_;  // the factors that have their line
  std::vector<axis_symbol> known_;       // E_d and 1_T that are written
};

constexpr void write_expanded(writer& out, graph_view const& graph, derivative_block const& of) {
  expanded_text(out, graph, notation::text).write(of);
}

}  // namespace residua::calculus
