#include <residua/calculus/text/json.hpp>
#include <residua/codegen/targets/jacobian/jacobian.hpp>
#include <residua/codegen/targets/text.hpp>

namespace residua::codegen {

namespace {

bool has_memory(graph_view const& graph) { return graph.inputs.size() > 1; }

std::string path_of(graph_view const& graph, calculus::parameter const& which) {
  graph::writer path;
  calculus::write_path(path, graph, which);
  return text_of(path);
}

std::string formula(graph_view const& graph, calculus::derivative_request const& request, calculus::notation style) {
  calculus::linear_operator const op = calculus::derive(graph, request);
  graph::writer out;
  calculus::operator_text(graph, op, style).write(out, op.root);
  return text_of(out);
}

std::string emit_text(graph_view const& graph) {
  graph::writer out;
  out.add(graph.name);
  out.add(has_memory(graph) ? "(x, memory) = " : "(x) = ");
  calculus::expression_text(graph).write_block(out);
  out.add("\n");
  calculus::write_expanded(out, graph, {});
  if (has_memory(graph)) {
    out.add("by memory: ");
    calculus::write_expanded(out, graph, {.input = 1});
  }
  out.add("identity route: ");
  out.add(calculus::find_identity_route(graph).text().view());
  out.add("\n");
  for (calculus::parameter const& each : calculus::parameters_of(graph)) {
    out.add("d ");
    out.add(graph.name);
    out.add(" / d ");
    out.add(path_of(graph, each));
    out.add(" = ");
    out.add(formula(graph, {.of_stream = false, .wrt = each}, calculus::notation::text));
    out.add("\n");
  }
  return text_of(out);
}

std::string emit_latex(graph_view const& graph) {
  std::string out = "\\begin{align*}\n  J &= " + formula(graph, {}, calculus::notation::latex);
  if (has_memory(graph)) out += " \\\\\n  J_{\\mathrm{memory}} &= " + formula(graph, {.input = 1}, calculus::notation::latex);
  for (calculus::parameter const& each : calculus::parameters_of(graph)) {
    std::string name;
    for (char c : path_of(graph, each)) name += c == '_' ? std::string("\\_") : std::string(1, c);
    out += " \\\\\n  \\frac{\\partial y}{\\partial\\,\\mathrm{" + name +
           "}} &= " + formula(graph, {.of_stream = false, .wrt = each}, calculus::notation::latex);
  }
  return out + "\n\\end{align*}\n";
}

}  // namespace

std::vector<std::string> emit_jacobian(block_plan const& block, options const&) {
  graph::writer json;
  calculus::write_json(json, block.graph, {});
  return {emit_text(block.graph), emit_latex(block.graph), text_of(json)};
}

}  // namespace residua::codegen
