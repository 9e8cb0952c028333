#pragma once
#include <residua/calculus/rules.hpp>
#include <residua/calculus/text/expression.hpp>
#include <residua/calculus/text/notation.hpp>

namespace residua::calculus {

/// Writes formulas: diag(N.weight) (I - 1 1^T/d - xh xh^T/d) / s.
class formula_text {
 public:
  constexpr formula_text(graph_view const& graph, formulas const& all, notation style)
      : graph_(graph), all_(all), style_(style) {}

  constexpr void write(writer& out, formula f) const { write(out, f.at, strength::relation); }

  /// The line that explains a definition, s = sqrt(var(x) + 1e-5); anything else as it is.
  constexpr void write_line(writer& out, formula f) const {
    formula_node const& n = all_[f.at];
    if (n.is != form::definition) return write(out, f);
    write_name(out, n.head);
    out.add(" = ");
    write(out, n.parts[0], strength::relation);
  }

 private:
  /// How tightly a form holds its parts together; a part that holds less is put in parentheses.
  enum class strength { relation, sum, product, factor, atom };

  constexpr strength strength_of(formula_node const& n) const {
    switch (n.is) {
      case form::relation:
      case form::block:
      case form::map:
      case form::over_tokens:
      case form::each_token:
      case form::only_where: return strength::relation;
      case form::sum:
      case form::difference:
      case form::negative: return strength::sum;
      case form::quotient: return is_latex() ? strength::factor : strength::product;
      case form::product:
      case form::hadamard:
      case form::ratio:
      case form::outer:
      case form::dot:
      case form::total: return strength::product;
      case form::power:
      case form::transposed: return strength::factor;
      case form::number:
      case form::symbol:
      case form::definition:
      case form::parameter:
      case form::operand:
      case form::function:
      case form::extreme:
      case form::root:
      case form::application:
      case form::magnitude:
      case form::softmax:
      case form::inner:
      case form::diagonal:
      case form::rotation: return strength::atom;
    }
    throw "residua: no form";
  }

  constexpr bool is_latex() const { return style_ == notation::latex; }
  constexpr void add(writer& out, std::string_view text, std::string_view latex) const { out.add(is_latex() ? latex : text); }
  constexpr void write_name(writer& out, symbol const& name) const { add(out, name.text, name.latex); }

  constexpr void write(writer& out, int at, strength least) const {
    formula_node const& n = all_[at];
    if (strength_of(n) >= least) return write_form(out, n);
    add(out, "(", "\\left(");
    write_form(out, n);
    add(out, ")", "\\right)");
  }

  constexpr void write_form(writer& out, formula_node const& n) const {
    auto part = [&](std::size_t k, strength least = strength::relation) { write(out, n.parts[k], least); };
    auto infix = [&](strength left, std::string_view text, std::string_view latex, strength right) {
      part(0, left);
      add(out, text, latex);
      part(1, right);
    };
    auto enclosed = [&](std::string_view text, std::string_view latex) {
      add(out, text, latex);
      bool const is_tall = strength_of(all_[n.parts[0]]) != strength::atom;
      add(out, "(", is_tall ? "\\left(" : "(");
      part(0);
      add(out, ")", is_tall ? "\\right)" : ")");
    };
    switch (n.is) {
      case form::number: return graph::write(out, n.number, is_latex());
      case form::symbol:
      case form::definition: return write_name(out, n.name);
      case form::parameter:
        return write_upright(out, style_, [&](writer& path) {
          graph::write_path(path, graph_, all_.of().scope);
          path.add(graph::suffix(n.which));
        });
      case form::operand:
        return write_upright(out, style_,
                             [&](writer& value) { expression_text(graph_).write_value(value, all_.of().operands[n.operand]); });
      case form::sum: return infix(strength::sum, " + ", " + ", strength::sum);
      case form::difference: return infix(strength::sum, " - ", " - ", strength::product);
      case form::negative: out.add("-"); return part(0, strength::product);
      case form::product:
        // a fraction on a line would take what follows it as its denominator
        return infix(all_[n.parts[0]].is == form::quotient ? strength::factor : strength::product, " ", " ", strength::product);
      case form::hadamard: return infix(strength::product, " .* ", " \\odot ", strength::factor);
      case form::quotient:
      case form::ratio: return write_fraction(out, n);
      case form::power:
        part(0, strength::atom);
        add(out, "^", "^{");
        part(1, strength::atom);
        return add(out, "", "}");
      case form::function: return enclosed(n.name.text, n.name.latex);
      case form::extreme:
        add(out, "max(", "\\max(");
        infix(strength::relation, ", ", ", ", strength::relation);
        return out.add(")");
      case form::root:
        add(out, "sqrt(", "\\sqrt{");
        part(0);
        return add(out, ")", "}");
      case form::application:
        write_upright(out, style_, [&](writer& word) { word.add(rule_of(n.operation).word); });
        return enclosed("", "");
      case form::magnitude:
        add(out, "|", "\\left|");
        part(0);
        return add(out, "|", "\\right|");
      case form::relation:
        part(0, strength::sum);
        out.add(" ");
        write_name(out, n.name);
        out.add(" ");
        return part(1);
      case form::transposed: part(0, strength::atom); return add(out, "^T", "^\\top");
      case form::outer: infix(strength::factor, " ", " ", strength::atom); return add(out, "^T", "^\\top");
      case form::dot: return infix(strength::factor, " . ", " \\cdot ", strength::factor);
      case form::inner:
        add(out, "<", "\\langle ");
        infix(strength::sum, ", ", ", ", strength::sum);
        return add(out, ">", "\\rangle");
      case form::diagonal: return enclosed("diag", "\\operatorname{diag}");
      case form::rotation: return enclosed("R", "R");
      case form::total: add(out, "sum_j ", "\\sum_j "); return part(0, strength::product);
      case form::softmax: return enclosed("softmax_j", "\\operatorname{softmax}_j");
      case form::block:
        out.add("(");
        infix(strength::relation, ", ", ", ", strength::relation);
        add(out, "): ", ")\\colon\\; ");
        return part(2);
      case form::map: return infix(strength::sum, " -> ", " \\mapsto ", strength::relation);
      case form::over_tokens:
        add(out, "sum of ", "\\textstyle\\sum_{\\text{tokens}} ");
        part(0);
        return add(out, " over tokens", "");
      case form::each_token: part(0); return add(out, " at each token", "\\text{ at each token}");
      case form::only_where: add(out, "zero unless ", "\\text{zero unless } "); return part(0);
    }
  }

  constexpr void write_fraction(writer& out, formula_node const& n) const {
    if (is_latex()) {
      out.add(n.is == form::ratio ? "\\tfrac{" : "\\frac{");
      write(out, n.parts[0], strength::relation);
      out.add("}{");
      write(out, n.parts[1], strength::relation);
      return out.add("}");
    }
    write(out, n.parts[0], strength::product);
    out.add(n.is == form::ratio ? "/" : " / ");
    write(out, n.parts[1], strength::factor);
  }

  graph_view graph_;
  formulas const& all_;
  notation style_;
};

}  // namespace residua::calculus
