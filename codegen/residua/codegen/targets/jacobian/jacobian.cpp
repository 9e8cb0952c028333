#include <fmt/format.h>

#include <residua/calculus/text/json.hpp>
#include <residua/codegen/targets/jacobian/jacobian.hpp>
#include <residua/codegen/targets/text.hpp>

namespace residua::codegen {

namespace {

using calculus::derivative_block;

std::string path_of(graph_view const& graph, calculus::parameter const& which) {
  graph::writer path;
  calculus::write_path(path, graph, which);
  return text_of(path);
}

std::string emit_text(graph_view const& graph) {
  graph::writer out;
  out.add(graph.name);
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    out.add(k == 0 ? "(" : ", ");
    out.add(graph.input(k).symbol);
  }
  out.add(") = ");
  calculus::expression_text(graph).write_block(out);
  out.add("\n");
  calculus::expanded_text lines(out, graph, calculus::notation::text);
  lines.write(derivative_block::by_streams(graph));
  if (graph.reads_memory()) lines.write(derivative_block::by_memory(graph), "by memory: J");
  out.add("identity route: ");
  out.add(calculus::route_text(graph).view());
  out.add("\n");
  for (calculus::parameter const& each : calculus::parameters_of(graph))
    lines.write_formula(derivative_block::by_parameter(graph, each),
                        fmt::format("d {} / d {}", graph.name, path_of(graph, each)));
  return text_of(out);
}

std::string emit_latex(graph_view const& graph) {
  graph::writer out;
  out.add("\\begin{align*}\n");
  calculus::expanded_text lines(out, graph, calculus::notation::latex);
  lines.write(derivative_block::by_streams(graph));
  if (graph.reads_memory()) lines.write(derivative_block::by_memory(graph), "J_{\\mathrm{memory}}");
  for (calculus::parameter const& each : calculus::parameters_of(graph)) {
    graph::writer name;
    name.add("\\frac{\\partial y}{\\partial\\,");
    calculus::write_upright(name, calculus::notation::latex,
                            [&](graph::writer& path) { calculus::write_path(path, graph, each); });
    name.add("}");
    lines.write_formula(derivative_block::by_parameter(graph, each), name.view());
  }
  out.add("\n\\end{align*}\n");
  return text_of(out);
}

}  // namespace

std::vector<std::string> emit_jacobian(block_plan const& block, options const&) {
  graph::writer json;
  calculus::write_json(json, block.graph, derivative_block::by_streams(block.graph));
  return {emit_text(block.graph), emit_latex(block.graph), text_of(json)};
}

}  // namespace residua::codegen
