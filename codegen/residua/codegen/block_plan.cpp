#include <algorithm>
#include <residua/codegen/block_plan.hpp>
#include <residua/codegen/passes/fuse_epilogues.hpp>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/passes/split_stages.hpp>
#include <stdexcept>

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
  if (axis.extent == graph::run_time && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
}

/// The widths that are chosen when the parameters are made: the stream's and those of parameters.
std::vector<axis_value> run_time_widths_of(graph_view const& graph, parameter_list const& parameters) {
  std::vector<axis_value> axes;
  add_run_time(axes, graph.input().shape.feature());
  if (has_memory(graph)) add_run_time(axes, graph.input(1).shape.feature());
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

/// Whether a block can be computed token by token: no token of the stream looks ahead.
bool looks_back_only(block_plan const& block) {
  std::vector<rows_of> const rows = rows_of_nodes(block.graph);
  auto of = [&](int at) { return rows[static_cast<std::size_t>(at)]; };
  for (auto const& each : block.layouts) {
    node const& n = block.graph.nodes[static_cast<std::size_t>(each.first)];
    bool const to_stream = of(n.operands[1]) == rows_of::stream;
    if (to_stream && (of(n.operands[0]) == rows_of::memory || !n.attention->causal)) return false;
  }
  return true;
}

/// The keys and values that the stream's tokens attend to, in the order of the attentions; none where a block cannot step.
std::vector<cached_value> cached_values(block_plan const& block) {
  std::vector<cached_value> list;
  if (!looks_back_only(block)) return list;
  program const& code = block.forward.code;
  for (stage const& each : code.stages)
    for (instruction const& i : each.instructions) {
      if (i.what != codegen::code::attend || code[i.result].rows == rows_of::memory) continue;
      std::int64_t const window = block.graph.nodes[static_cast<std::size_t>(i.node)].attention->window;
      for (std::size_t k : {1u, 2u}) {
        value const& kept = code[i.inputs[k]];
        auto const known = std::ranges::find(list, i.inputs[k], &cached_value::value);
        if (known == list.end()) list.push_back({i.inputs[k], kept.width.extent, window, kept.rows == rows_of::memory, {}});
        else known->window = known->window > 0 && window > 0 ? std::max(known->window, window) : 0;
      }
    }
  return list;
}

/// The names of attentions' and rotations' constants, layouts and cached values, none of them a value's.
void name_attentions(block_plan& block) {
  std::set<std::string, std::less<>> taken;
  for (tile_program const* tile : {&block.forward, &block.jvp, &block.vjp})
    for (value const& each : tile->code.values) taken.insert(each.name);
  unique_names names(std::move(taken));
  std::vector<bool> const needed = needed_nodes(block.graph);
  for (std::size_t i = 0; i < block.graph.nodes.size(); ++i) {
    node const& n = block.graph.nodes[i];
    if (!needed[i] || (n.operation != op::attend && n.operation != op::rope)) continue;
    graph::writer path;
    graph::write_path(path, block.graph, n.scope);
    std::string const own = flat(std::string(path.view()));
    block.options[static_cast<int>(i)] = names(own + (n.operation == op::attend ? "_attention" : "_rope"));
    if (n.operation == op::attend) block.layouts[static_cast<int>(i)] = names(own + "_tokens");
  }
  block.cached = cached_values(block);
  for (cached_value& each : block.cached) each.name = names(block.forward.code[each.value].name + "_seen");
}

}  // namespace

bool block_plan::reads_memory() const { return has_memory(graph); }

bool block_plan::can_step() const { return !cached.empty(); }

cached_value const* block_plan::cached_at(program const& code, int value) const {
  auto const found = std::ranges::find(cached, value, &cached_value::value);
  return &code == &forward.code && found != cached.end() ? &*found : nullptr;
}

std::string block_plan::layout_between(int node) const {
  std::vector<rows_of> const rows = rows_of_nodes(graph);
  auto const& operands = graph.nodes[static_cast<std::size_t>(node)].operands;
  auto of = [&](std::size_t k) { return rows[static_cast<std::size_t>(operands[k])]; };
  if (of(0) == of(1)) return of(0) == rows_of::stream ? "of_stream()" : "of_memory()";
  return of(0) == rows_of::stream ? "from_stream_to_memory()" : "from_memory_to_stream()";
}

block_plan plan_block(std::string name, graph_view const& graph) {
  if (rows_of_nodes(graph)[static_cast<std::size_t>(graph.output())] == rows_of::memory)
    throw std::invalid_argument("residua: the result of " + name + " has the memory's tokens; it must have those of the stream");
  parameter_list const parameters(graph);
  std::vector<axis_value> const widths = run_time_widths_of(graph, parameters);
  block_plan block{std::move(name),
                   graph,
                   parameters,
                   widths,
                   renamed_widths_of(graph, widths),
                   widths_of(graph)[static_cast<std::size_t>(graph.output())],
                   schedule(lower_forward(graph)),
                   schedule(lower_jvp(graph)),
                   schedule(lower_vjp(graph, parameters))};
  name_attentions(block);
  return block;
}

}  // namespace residua::codegen
