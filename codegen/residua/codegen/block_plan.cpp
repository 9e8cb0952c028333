#include <algorithm>
#include <residua/codegen/block_plan.hpp>
#include <residua/codegen/fuse_epilogues.hpp>
#include <residua/codegen/lower.hpp>
#include <residua/codegen/split_stages.hpp>

namespace residua::codegen {

namespace {

tile_program schedule(program lowered) {
  check_program(lowered);
  split_stages(lowered);
  check_program(lowered);
  fuse_epilogues(lowered);
  check_program(lowered);
  std::vector<std::vector<slot>> buffers = assign_slots(lowered);
  return {std::move(lowered), std::move(buffers)};
}

void add_run_time(std::vector<axis_value>& axes, axis_value const& axis) {
  if (axis.extent == dsl::run_time && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
}

/// The widths that are chosen when the parameters are made: the stream's and those of parameters.
std::vector<axis_value> run_time_widths_of(graph_view const& graph, parameter_list const& parameters) {
  std::vector<axis_value> axes;
  add_run_time(axes, graph.nodes[0].shape.feature());
  if (has_memory(graph)) add_run_time(axes, graph.nodes[1].shape.feature());
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

/// The names of attentions' and rotations' constants and layouts, none of them a value's.
void name_attentions(block_plan& block) {
  std::set<std::string, std::less<>> taken;
  for (tile_program const* tile : {&block.forward, &block.jvp, &block.vjp})
    for (value const& each : tile->code.values) taken.insert(each.name);
  unique_names names(std::move(taken));
  for (std::size_t i = 0; i < block.graph.nodes.size(); ++i) {
    node const& n = block.graph.nodes[i];
    if (n.operation != op::attend && n.operation != op::rope) continue;
    dsl::writer path;
    dsl::write_path(path, block.graph, n.scope);
    std::string const own = flat(std::string(path.view()));
    block.options[static_cast<int>(i)] = names(own + (n.operation == op::attend ? "_attention" : "_rope"));
    if (n.operation == op::attend) block.layouts[static_cast<int>(i)] = names(own + "_tokens");
  }
}

}  // namespace

bool block_plan::reads_memory() const { return has_memory(graph); }

bool block_plan::can_step() const {
  std::vector<rows_of> const rows = rows_of_nodes(graph);
  if (rows[static_cast<std::size_t>(graph.output)] != rows_of::stream || !has_attention()) return false;
  for (auto const& each : layouts) {
    node const& n = graph.nodes[static_cast<std::size_t>(each.first)];
    bool const of_memory = rows[static_cast<std::size_t>(n.operands[1])] == rows_of::memory;
    if (!of_memory && !n.attention->causal) return false;
  }
  return true;
}

std::vector<cached_value> block_plan::cached() const {
  std::vector<cached_value> list;
  program const& code = forward.code;
  for (stage const& each : code.stages)
    for (instruction const& i : each.instructions) {
      if (i.what != codegen::code::attend) continue;
      std::int64_t const window = graph.nodes[static_cast<std::size_t>(i.node)].attention->window;
      for (std::size_t k : {1u, 2u}) {
        int const value = code.base_of(i.inputs[k]);
        auto const known = std::ranges::find(list, value, &cached_value::value);
        if (known == list.end()) list.push_back({value, code[value].width.extent, window, code[value].rows == rows_of::memory});
        else known->window = known->window > 0 && window > 0 ? std::max(known->window, window) : 0;
      }
    }
  return list;
}

bool block_plan::is_cached(program const& code, int value) const {
  return &code == &forward.code && can_step() &&
         std::ranges::any_of(cached(), [&](cached_value const& each) { return each.value == value; });
}

std::string block_plan::layout_between(int node) const {
  std::vector<rows_of> const rows = rows_of_nodes(graph);
  auto const& operands = graph.nodes[static_cast<std::size_t>(node)].operands;
  auto of = [&](std::size_t k) { return rows[static_cast<std::size_t>(operands[k])]; };
  if (of(0) == of(1)) return of(0) == rows_of::stream ? "of_stream()" : "of_memory()";
  return of(0) == rows_of::stream ? "from_stream_to_memory()" : "from_memory_to_stream()";
}

block_plan plan_block(std::string name, graph_view const& graph) {
  parameter_list const parameters(graph);
  std::vector<axis_value> const widths = run_time_widths_of(graph, parameters);
  block_plan block{std::move(name),
                   graph,
                   parameters,
                   widths,
                   renamed_widths_of(graph, widths),
                   widths_of(graph)[static_cast<std::size_t>(graph.output)],
                   schedule(lower_forward(graph)),
                   schedule(lower_jvp(graph)),
                   schedule(lower_vjp(graph, parameters))};
  name_attentions(block);
  return block;
}

}  // namespace residua::codegen
