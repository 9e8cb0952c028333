#include <algorithm>
#include <residua/codegen/internal_error.hpp>
#include <residua/codegen/parameter_list.hpp>

namespace residua::codegen {

namespace {

std::vector<graph::axis_value> shape_of(graph::graph_view const& graph, graph::node const& node, calculus::role which) {
  using calculus::kind;
  graph::axis_value const out = node.shape.feature();
  switch (calculus::kind_of(node)) {
    case kind::product:
      if (which == calculus::role::weight) return {graph[node.operands[0]].shape.feature(), out};
      return {out};
    case kind::scale:
      if (calculus::rule_of(node).factors[0] == calculus::factor::scalar) return {};
      return {out};
    case kind::norm:
      if (node.groups > 1) return {{"head_width", out.extent / node.groups}};
      return {out};
    case kind::input:
    case kind::sum:
    case kind::hadamard:
    case kind::renamed:
    case kind::pointwise:
    case kind::selection:
    case kind::rotation:
    case kind::coupling: break;
  }
  internal_error("no shape for a parameter of " + std::string(calculus::rule_of(node).word));
}

}  // namespace

parameter_list::parameter_list(graph::graph_view const& graph) {
  unique_names members({"e", "sizes", "bytes", "set", "tiles", "revision"});  // what a kernel has besides
  for (calculus::parameter const& which : calculus::parameters_of(graph)) {
    auto const owner = std::ranges::find_if(graph.nodes, [&](graph::node const& n) { return calculus::detail::owns(n, which); });
    graph::writer path;
    calculus::write_path(path, graph, which);
    std::string text(path.view());
    tensors_.push_back({text, members(flat(text)), which, shape_of(graph, *owner, which.which)});
  }
}

int parameter_list::find(graph::node const& node, calculus::role which) const {
  if (!calculus::reads(node, which)) return -1;
  auto const at = std::ranges::find(tensors_, calculus::parameter{node.scope, which}, &parameter_tensor::which);
  return static_cast<int>(at - tensors_.begin());
}

}  // namespace residua::codegen
