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

void add_run_time(std::vector<axis_value>& axes, axis_value const& axis) {
  if (axis.extent == dsl::run_time && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
}

/// The widths that are chosen when the parameters are made: the stream's and those of parameters.
std::vector<axis_value> run_time_widths_of(graph_view const& graph, parameter_list const& parameters) {
  std::vector<axis_value> axes;
  add_run_time(axes, graph.nodes[0].shape.feature());
  for (parameter_tensor const& t : parameters.all())
    for (axis_value const& axis : t.shape) add_run_time(axes, axis);
  return axes;
}

/// Of those, the ones that are another one renamed.
std::vector<std::pair<axis_value, axis_value>> renamed_widths_of(graph_view const& graph, std::vector<axis_value> const& chosen) {
  std::vector<axis_value> const widths = widths_of(graph);
  std::vector<std::pair<axis_value, axis_value>> pairs;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    std::pair const pair(graph.nodes[i].shape.feature(), widths[i]);
    if (pair.first == pair.second || std::ranges::find(chosen, pair.first) == chosen.end()) continue;
    if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace

block_plan plan_block(std::string name, graph_view const& graph) {
  parameter_list const parameters(graph);
  std::vector<axis_value> const widths = run_time_widths_of(graph, parameters);
  return {std::move(name),
          graph,
          parameters,
          widths,
          renamed_widths_of(graph, widths),
          widths_of(graph)[static_cast<std::size_t>(graph.output)],
          schedule(lower_forward(graph)),
          schedule(lower_jvp(graph)),
          schedule(lower_vjp(graph, parameters))};
}

}  // namespace residua::codegen
