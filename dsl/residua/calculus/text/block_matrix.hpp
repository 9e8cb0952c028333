#pragma once
#include <residua/calculus/pairs.hpp>
#include <residua/calculus/text/operator.hpp>

namespace residua::calculus {

/// Writes derivatives: one as it is, several as [[J_N (I + J_F), 0], [J_F, I]], in LaTeX as a matrix.
constexpr void write_derivatives(writer& out, graph_view const& graph, derivative_block const& of, notation style) {
  bool const is_latex = style == notation::latex;
  bool const is_matrix = !of.is_one();
  if (is_matrix) out.add(is_latex ? "\\begin{pmatrix} " : "[");
  for (std::size_t row = 0; row < of.results; ++row) {
    if (row > 0) out.add(is_latex ? " \\\\ " : ", ");
    if (is_matrix && !is_latex) out.add("[");
    for (std::size_t column = 0; column < of.inputs; ++column) {
      if (column > 0) out.add(is_latex ? " & " : ", ");
      linear_operator const made = derive(graph, of.at(row, column));
      operator_text(graph, made, style, of.with_points).write(out, made.root);
    }
    if (is_matrix && !is_latex) out.add("]");
  }
  if (is_matrix) out.add(is_latex ? " \\end{pmatrix}" : "]");
}

}  // namespace residua::calculus
