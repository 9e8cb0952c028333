#include <algorithm>
#include <residua/codegen/parameter_list.hpp>

namespace residua::codegen {

parameter_list::parameter_list(graph::graph_view const& graph) {
  unique_names members({"e", "sizes", "bytes", "set", "tiles", "revision"});  // what a kernel has besides
  for (calculus::parameter const& which : calculus::parameters_of(graph)) {
    auto const owner = std::ranges::find_if(graph.nodes, [&](graph::node const& n) { return calculus::owns(n, which); });
    graph::writer path;
    calculus::write_path(path, graph, which);
    std::string text(path.view());
    tensors_.push_back({text, members(flat(text)), which, calculus::axes_of(graph, *owner, which.which)});
  }
}

int parameter_list::find(graph::node const& node, calculus::role which) const {
  if (!calculus::reads(node, which)) return -1;
  auto const at = std::ranges::find(tensors_, calculus::parameter{node.scope, which}, &parameter_tensor::which);
  return static_cast<int>(at - tensors_.begin());
}

}  // namespace residua::codegen
