#pragma once
#include <residua/calculus/text/expression.hpp>
#include <residua/calculus/text/notation.hpp>
#include <residua/calculus/text/points.hpp>

namespace residua::calculus {

/// Writes operators: I + J_F J_N, with scalars in front, common right factors taken out, and parentheses where a sum
/// is a factor. A factor says its point, J_N@u1, where another reads like it, or each that has one.
class operator_text {
 private:
  // Member templates stand before their first use: clang needs their bodies by then to call them in constant evaluation.
  /// A name in LaTeX: one letter as it is, a Greek letter as its command, anything else upright.
  template <class Write>
  constexpr void write_name(writer& out, Write const& write) const {
    if (style_ == notation::text) return write(out);
    writer name;
    write(name);
    constexpr std::string_view greek[] = {"alpha", "beta", "gamma", "delta", "lambda", "mu", "omega", "sigma", "tau", "theta"};
    for (std::string_view letter : greek)
      if (name.view() == letter) {
        out.add("\\");
        return out.add(letter);
      }
    if (name.view().size() == 1) return out.add(name.view());
    write_upright(out, style_, write);
  }

  template <class Write>
  constexpr void write_symbol(writer& out, std::string_view letter, Write const& write) const {
    out.add(letter);
    out.add(style_ == notation::text ? "_" : "_{");
    write_name(out, write);
    if (style_ == notation::latex) out.add("}");
  }

  /// The value itself.
  constexpr void write_factor_value(writer& out, int at) const {
    write_upright(out, style_, [&](writer& value) { values_.write_as_factor(value, at); });
  }

  constexpr void write_word(writer& out, std::string_view word) const {
    write_upright(out, style_, [&](writer& name) { name.add(word); });
  }

 public:
  constexpr operator_text(graph_view const& graph, linear_operator const& op, notation style, bool with_points = false)
      : graph_(graph), values_(graph), pool_(op.pool), style_(style), alike_(graph, op), with_points_(with_points) {}

  constexpr void write(writer& out, term const& root) const {
    if (root.is_zero()) return out.add("0");
    write_term(out, root, true);
  }

  /// J_N, J_F, diag(gelu_tanh'), diag(gamma), D_up.weight; J_N@u1, diag(relu')@(x + u1).
  constexpr void write_factor(writer& out, int factor) const {
    product_factor const& f = pool_[factor];
    write_name(out, f);
    if (!alike_[factor] && !(with_points_ && has_point(graph_, f))) return;
    out.add(style_ == notation::latex ? "|_{" : "@");
    values_.write_points(out, points_of(graph_, f), style_);
    if (style_ == notation::latex) out.add("}");
  }

 private:
  constexpr void write_name(writer& out, product_factor const& f) const {
    if (f.kind == atom::branch)
      return write_symbol(out, "J", [&](writer& path) {
        graph::write_path(path, graph_, graph_.call_at(f.index).scope);
        if (f.operand == 1) path.add(".memory");
      });
    if (f.kind == atom::diagonal) return values_.write_diagonal_of(out, f.index, style_);
    node const& n = graph_[f.index];
    if (f.kind == atom::parameter)
      return write_symbol(out, "D", [&](writer& path) { write_path(path, graph_, {n.scope, static_cast<role>(f.operand)}); });
    switch (rule_of(n).factors[f.operand]) {
      case factor::vector:
        return write_diagonal(out, style_,
                              [&] { write_name(out, [&](writer& path) { graph::write_path(path, graph_, n.scope); }); });
      case factor::column: return write_factor_value(out, n.operands[1 - f.operand]);
      case factor::row:
        write_factor_value(out, n.operands[1 - f.operand]);
        return out.add(style_ == notation::latex ? "^\\top" : "^T");
      case factor::mean:
        return write_symbol(out, "E", [&](writer& name) { name.add(graph_[n.operands[0]].shape.feature().name); });
      case factor::repetition:
        return write_symbol(out, style_ == notation::latex ? "\\mathbf{1}" : "1",
                            [&](writer& name) { name.add(n.shape.axes[n.shape.rank - 2].name); });
      case factor::activation:
        return write_diagonal(out, style_, [&] {
          write_word(out, rule_of(n).word);
          out.add("'");
        });
      case factor::selection: return write_selection(out, f);
      case factor::insertion: write_selection(out, f); return out.add(style_ == notation::latex ? "^\\top" : "^T");
      case factor::rotation: return write_path_symbol(out, "R", n.scope);
      case factor::queries: return write_path_symbol(out, "Q", n.scope);
      case factor::keys: return write_path_symbol(out, "K", n.scope);
      case factor::values: return write_path_symbol(out, "P", n.scope);
      case factor::norm:
      case factor::matrix: return write_path_symbol(out, "J", n.scope);
      case factor::none:
      case factor::identity:
      case factor::stopped:
      case factor::negative:
      case factor::scalar:
      case factor::other: break;  // no such factor of a product: a term's coefficient, a diagonal, or nothing
    }
    throw "residua: no factor of a product";
  }

 public:
  constexpr void write_scalar(writer& out, int at) const {
    node const& n = graph_[at];
    if (reads(n, role::itself)) return write_name(out, [&](writer& name) { graph::write_path(name, graph_, n.scope); });
    write_name(out, [&](writer& name) { values_.write_constant(name, n); });
  }

 private:
  constexpr void write_term(writer& out, term const& t, bool alone) const {
    bool const only_sum = t.coefficient.value() == 1 && t.scalars.empty() && is_one_sum(t.product);
    bool first = true;
    auto separate = [&] {
      if (!first) out.add(" ");
      first = false;
    };
    if (t.coefficient.value() == -1) out.add("-");
    else if (t.coefficient.value() != 1) {
      separate();
      graph::write(out, t.coefficient.value());
    }
    for (std::size_t i = 0; i < t.scalars.size();) {
      std::size_t end = i + 1;
      while (end < t.scalars.size() && t.scalars[end] == t.scalars[i]) ++end;
      separate();
      write_scalar(out, t.scalars[i]);
      if (end - i > 1) {
        out.add("^");
        out.add_integer(static_cast<std::int64_t>(end - i));
      }
      i = end;
    }
    if (t.product == 0) {
      separate();
      return out.add("I");
    }
    for (int at : pool_.factors_of(t.product)) {
      product_factor const& f = pool_[at];
      separate();
      if (f.kind != atom::sum) write_factor(out, at);
      else if (alone && only_sum) write_sum(out, f.terms);
      else {
        out.add(style_ == notation::latex ? "\\left(" : "(");
        write_sum(out, f.terms);
        out.add(style_ == notation::latex ? "\\right)" : ")");
      }
    }
  }

  constexpr bool is_one_sum(int product) const {
    std::vector<int> const factors = pool_.factors_of(product);
    return factors.size() == 1 && pool_[factors[0]].kind == atom::sum;
  }

  constexpr void write_sum(writer& out, std::vector<term> const& terms) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      term each = terms[i];
      if (i > 0) {
        out.add(each.coefficient.value() < 0 ? " - " : " + ");
        if (each.coefficient.value() < 0) each.coefficient = -each.coefficient;
      }
      write_term(out, each, false);
    }
  }

  /// S_h, by the axis of the features that are selected; S_h[16] where the block selects others by the same axis.
  constexpr void write_selection(writer& out, product_factor const& f) const {
    write_symbol(out, "S", [&](writer& name) { write_features(name, graph_, features_of(graph_, f.index, f.operand)); });
  }

  constexpr void write_path_symbol(writer& out, std::string_view letter, int scope) const {
    write_symbol(out, letter, [&](writer& path) { graph::write_path(path, graph_, scope); });
  }

  graph_view graph_;
  expression_text values_;
  operator_pool const& pool_;
  notation style_;
  alike_factors alike_;
  bool with_points_;
};

}  // namespace residua::calculus
