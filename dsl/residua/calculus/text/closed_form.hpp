#pragma once
#include <residua/calculus/text/operator.hpp>

namespace residua::calculus {

namespace detail {
/// The closed form of one rule with its G filled in: diag(N.weight), diag(1 + N.weight), or nothing.
constexpr void write_with_gain(writer& out, graph_view const& graph, node const& n, std::string_view formula, bool latex) {
  for (std::size_t i = 0; i < formula.size(); ++i) {
    bool const gain = formula[i] == 'G' && (i + 1 == formula.size() || formula[i + 1] == ' ' || formula[i + 1] == '\\');
    if (!gain) {
      out.add(formula.substr(i, 1));
      continue;
    }
    if (!n.has_weight) {  // no gain: its space goes too
      i += latex ? 2 : 1;
      continue;
    }
    out.add(latex ? "\\operatorname{diag}(" : "diag(");
    if (n.unit_offset) out.add("1 + ");
    if (latex) out.add("w");
    else {
      graph::write_path(out, graph, n.scope);
      out.add(".weight");
    }
    out.add(")");
  }
}
}  // namespace detail

namespace detail {
/// What an attention's factors are made of: `p_i = softmax_j(s_ij), s_ij = 50 tanh(0.125 q_i . k_j / 50), j <= i`.
constexpr void write_attention(writer& out, graph::attention_value const& a) {
  out.add(", p_i = softmax_j(s_ij), s_ij = ");
  if (a.softcap > 0) {
    graph::write(out, a.softcap);
    out.add(" tanh(");
  }
  out.add("c q_i . k_j");
  if (a.softcap > 0) {
    out.add(" / ");
    graph::write(out, a.softcap);
    out.add(")");
  }
  if (a.alibi) out.add(" - slope |i - j|");
  out.add(", c = ");
  graph::write(out, a.scale);
  if (a.softcap > 0) {
    out.add(", f_ij = 1 - tanh(c q_i . k_j / ");
    graph::write(out, a.softcap);
    out.add(")^2");
  }
  if (a.causal && a.window > 0) {
    out.add(", zero unless i - ");
    out.add_integer(a.window);
    out.add(" < j <= i");
  } else if (a.causal) {
    out.add(", zero unless j <= i");
  } else if (a.window > 0) {
    out.add(", zero unless |i - j| <= ");
    out.add_integer(a.window / 2);
  }
}

/// The closed form without f, where there is no soft cap.
constexpr void write_uncapped(writer& out, std::string_view formula, bool capped) {
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (!capped && formula.substr(i).starts_with("f_ij ")) i += 4;
    else if (!capped && formula.substr(i).starts_with("f_{ij} ")) i += 6;
    else out.add(formula.substr(i, 1));
  }
}
}  // namespace detail

/// Whether a factor is diag(b), for the operand a of hadamard(a, b).
constexpr bool is_of_other(graph_view const& graph, product_factor const& f) {
  return f.kind == atom::local &&
         rule_of(graph.nodes[static_cast<std::size_t>(f.index)].operation).factors[static_cast<std::size_t>(f.operand)] ==
             factor::other;
}

/// The local Jacobian of one factor in closed form, or that of its adjoint, or the derivative by a parameter.
constexpr void write_closed_form(writer& out, graph_view const& graph, product_factor const& f, bool adjoint = false) {
  node const& n = graph.nodes[static_cast<std::size_t>(f.index)];
  if (f.kind == atom::parameter) {
    switch (n.operation) {
      case op::linear:
        if (static_cast<role>(f.operand) == role::bias)
          return out.add(adjoint ? "g -> sum of g over tokens" : "db -> db at each token");
        return out.add(adjoint ? "g -> sum of x^T g over tokens" : "dW -> x dW");
      case op::layer_norm:
      case op::rms_norm:
        if (static_cast<role>(f.operand) == role::bias)
          return out.add(adjoint ? "g -> sum of g over tokens" : "db -> db at each token");
        return out.add(adjoint ? "g -> sum of xh .* g over tokens" : "dw -> xh .* dw");
      case op::scalar_multiple: return out.add(adjoint ? "g -> sum of <x, g> over tokens" : "dalpha -> dalpha x");
      default: return out.add(adjoint ? "g -> sum of x .* g over tokens" : "dg -> dg .* x");
    }
  }
  rule const& row = rule_of(n);
  local_jacobian const& form = row.forms[static_cast<std::size_t>(f.operand)];
  switch (row.factors[static_cast<std::size_t>(f.operand)]) {
    case factor::matrix: graph::write_path(out, graph, n.scope); return out.add(adjoint ? ".weight" : ".weight^T");
    case factor::norm: return detail::write_with_gain(out, graph, n, adjoint ? form.adjoint : form.jacobian, false);
    case factor::queries:
    case factor::keys:
    case factor::values: return detail::write_uncapped(out, adjoint ? form.adjoint : form.jacobian, n.attention->softcap > 0);
    case factor::other:
      out.add("diag(");
      expression_text(graph).write_value(out, n.operands[static_cast<std::size_t>(1 - f.operand)]);
      return out.add(")");
    default: return out.add(adjoint ? form.adjoint : form.jacobian);
  }
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

/// Writes J = ..., then what each factor is and where it is taken:
///   J_N = diag(N.weight) (I - 1 1^T/d - xh xh^T/d) / s, s = sqrt(var(x) + 1e-5), at x
constexpr void write_expanded(writer& out, graph_view const& graph, derivative_request const& request) {
  linear_operator const top = derive(graph, request);
  expression_text const values(graph);
  operator_text const text(graph, top, notation::text);
  out.add("J = ");
  text.write(out, top.root);
  out.add("\n");
  std::vector<int> factors;
  collect_factors(top.pool, top.root, factors);
  std::vector<int> turned;  // the attentions whose R is written; queries and keys have the same
  auto write_line = [&](auto& self, operator_text const& names, operator_pool const& pool, int at) -> void {
    product_factor const& f = pool[at];
    if (f.kind == atom::local) {
      factor const kind =
          rule_of(graph.nodes[static_cast<std::size_t>(f.index)].operation).factors[static_cast<std::size_t>(f.operand)];
      if (kind == factor::vector || kind == factor::other || kind == factor::selection) return;  // its name says it all
      if (kind == factor::rotation) {
        int const attention = graph.nodes[static_cast<std::size_t>(f.index)].scope;
        for (int each : turned)
          if (each == attention) return;
        turned.push_back(attention);
      }
    }
    names.write_factor(out, f);
    out.add(" = ");
    if (f.kind == atom::branch) {
      graph::call const& call = graph.calls[static_cast<std::size_t>(f.index)];
      linear_operator const inside = derive(graph, {.input = f.operand, .inside = f.index});
      operator_text const inner(graph, inside, notation::text);
      inner.write(out, inside.root);
      out.add(", at ");
      values.write_value(out, call.argument);
      if (call.memory >= 0) {
        out.add(", ");
        values.write_value(out, call.memory);
      }
      out.add("\n");
      std::vector<int> parts;
      collect_factors(inside.pool, inside.root, parts);
      for (int part : parts) self(self, inner, inside.pool, part);
      return;
    }
    write_closed_form(out, graph, f);
    node const& n = graph.nodes[static_cast<std::size_t>(f.index)];
    factor const kind =
        f.kind == atom::parameter ? factor::none : rule_of(n.operation).factors[static_cast<std::size_t>(f.operand)];
    if (kind == factor::norm) {
      std::string_view const value = rule_of(n.operation).value;
      out.add(", ");
      std::string_view const where = value.substr(value.find("xh = "));
      std::string_view const head = where.substr(0, where.find("eps)"));
      out.add(head);
      graph::write(out, n.epsilon);
      out.add(")");
      if (n.groups > 1) {
        out.add(", per head of d = ");
        out.add_integer(n.shape.feature().extent / n.groups);
      }
    }
    bool const couples = kind == factor::queries || kind == factor::keys || kind == factor::values;
    if (couples) detail::write_attention(out, *n.attention);
    if (!couples && kind != factor::rotation) {
      out.add(", at ");
      values.write_value(out, n.operands[0]);
    }
    out.add("\n");
  };
  for (int at : factors) write_line(write_line, text, top.pool, at);
  for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
    if (!values.is_named(static_cast<int>(i))) continue;
    values.write_name(out, static_cast<int>(i));
    out.add(" = ");
    values.write_expression(out, static_cast<int>(i), false);
    out.add("\n");
  }
}

}  // namespace residua::calculus
