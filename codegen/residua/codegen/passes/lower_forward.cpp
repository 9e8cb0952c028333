#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class forward_lowering : public lowering {
 public:
  using lowering::lowering;

  program run() {
    for (int at = 0; at < count(); ++at)
      if (is_needed(at)) compute(at);
    deliver(primal_[static_cast<std::size_t>(graph_.output())], home::output, "y", graph_.output());
    return std::move(program_);
  }
};

}  // namespace

std::vector<axis_value> widths_of(graph_view const& graph) {
  std::vector<axis_value> widths;
  for (node const& n : graph.nodes) {
    bool const own = n.operation == op::input || n.operation == op::linear || n.operation == op::columns;
    widths.push_back(own ? n.shape.feature() : widths[static_cast<std::size_t>(n.operands[0])]);
  }
  return widths;
}

bool has_memory(graph_view const& graph) { return graph.inputs.size() > 1; }

std::vector<rows_of> rows_of_nodes(graph_view const& graph) {
  std::vector<rows_of> rows;
  for (node const& n : graph.nodes) rows.push_back(n.tokens == 0 ? rows_of::stream : rows_of::memory);
  return rows;
}

std::vector<bool> needed_nodes(graph_view const& graph) {
  std::vector<bool> needed(graph.nodes.size(), false);
  needed[static_cast<std::size_t>(graph.output())] = true;
  for (std::size_t i = graph.nodes.size(); i > 0; --i)
    if (needed[i - 1])
      for (int operand : graph.nodes[i - 1].operands)
        if (operand >= 0) needed[static_cast<std::size_t>(operand)] = true;
  return needed;
}

program lower_forward(graph_view const& graph) { return forward_lowering(graph).run(); }

}  // namespace residua::codegen
