#include <algorithm>
#include <residua/codegen/block_plan.hpp>
#include <residua/codegen/fuse_epilogues.hpp>
#include <residua/codegen/lower.hpp>

namespace residua::codegen {

namespace {

tile_program schedule(program lowered) {
  check_program(lowered);
  fuse_epilogues(lowered);
  check_program(lowered);
  std::vector<slot> buffers = assign_slots(lowered);
  return {std::move(lowered), std::move(buffers)};
}

/// The feature axes whose extent is chosen when the kernel is made.
std::vector<axis_value> run_time_widths_of(graph_view const& graph) {
  std::vector<axis_value> axes;
  for (node const& n : graph.nodes) {
    axis_value const& width = n.shape.feature();
    if (width.extent == dsl::run_time && std::ranges::find(axes, width) == axes.end()) axes.push_back(width);
  }
  return axes;
}

}  // namespace

block_plan plan_block(std::string name, graph_view const& graph) {
  parameter_list const parameters(graph);
  return {std::move(name),
          graph,
          parameters,
          run_time_widths_of(graph),
          schedule(lower_forward(graph)),
          schedule(lower_jvp(graph)),
          schedule(lower_vjp(graph, parameters))};
}

}  // namespace residua::codegen
