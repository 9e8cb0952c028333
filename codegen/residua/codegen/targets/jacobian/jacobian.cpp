#include <fmt/format.h>

#include <residua/calculus/text/json.hpp>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/targets/cpp/emit.hpp>

namespace residua::codegen {

namespace {

std::string text_of(graph::writer const& out) { return std::string(out.view()); }

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

std::vector<generated_file> emit_jacobian(block_plan const& block) {
  graph::writer json;
  calculus::write_json(json, block.graph, {});
  return {{block.name + ".jacobian.txt", emit_text(block.graph)},
          {block.name + ".jacobian.tex", emit_latex(block.graph)},
          {block.name + ".jacobian.json", text_of(json)}};
}

std::vector<generated_file> emit_block(block_plan const& block, options const& chosen) {
  std::vector<generated_file> files{{block.name + ".hpp", emit_header(block, chosen)},
                                    {block.name + ".tiles.hpp", emit_tiles(block, chosen)},
                                    {block.name + ".cpp", emit_source(block, chosen)}};
  for (std::string const& set : chosen.instruction_sets)
    files.push_back({block.name + "." + set + ".cpp", emit_instruction_set(block, chosen, set)});
  for (generated_file& each : emit_jacobian(block)) files.push_back(std::move(each));
  return files;
}

}  // namespace residua::codegen
