#include <fmt/format.h>

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

std::string emit_text(graph_view const& graph) {
  graph::writer out;
  out.add(graph.name);
  out.add(has_memory(graph) ? "(x, memory) = " : "(x) = ");
  calculus::expression_text(graph).write_block(out);
  out.add("\n");
  calculus::expanded_text lines(out, graph, calculus::notation::text);
  lines.write({});
  if (has_memory(graph)) lines.write({.input = 1}, "by memory: J");
  out.add("identity route: ");
  out.add(calculus::find_identity_route(graph).text().view());
  out.add("\n");
  for (calculus::parameter const& each : calculus::parameters_of(graph))
    lines.write_formula({.of_stream = false, .wrt = each}, fmt::format("d {} / d {}", graph.name, path_of(graph, each)));
  return text_of(out);
}

std::string emit_latex(graph_view const& graph) {
  graph::writer out;
  out.add("\\begin{align*}\n");
  calculus::expanded_text lines(out, graph, calculus::notation::latex);
  lines.write({});
  if (has_memory(graph)) lines.write({.input = 1}, "J_{\\mathrm{memory}}");
  for (calculus::parameter const& each : calculus::parameters_of(graph)) {
    graph::writer name;
    name.add("\\frac{\\partial y}{\\partial\\,");
    calculus::write_upright(name, calculus::notation::latex,
                            [&](graph::writer& path) { calculus::write_path(path, graph, each); });
    name.add("}");
    lines.write_formula({.of_stream = false, .wrt = each}, name.view());
  }
  out.add("\n\\end{align*}\n");
  return text_of(out);
}

}  // namespace

std::vector<std::string> emit_jacobian(block_plan const& block, options const&) {
  graph::writer json;
  calculus::write_json(json, block.graph, {});
  return {emit_text(block.graph), emit_latex(block.graph), text_of(json)};
}

}  // namespace residua::codegen
