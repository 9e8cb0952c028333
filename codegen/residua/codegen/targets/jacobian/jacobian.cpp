#include <residua/calculus/text/json.hpp>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <residua/codegen/passes/lower.hpp>

namespace residua::codegen {

namespace {

std::string text_of(graph::writer const& out) { return std::string(out.view()); }

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
