#include <algorithm>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/pipeline.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

void add_run_time(std::vector<axis_value>& axes, axis_value const& axis) {
  if (axis.extent == graph::run_time && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
}

/// The widths that are chosen when the parameters are made: those of the streams that are read, and of parameters.
std::vector<axis_value> run_time_widths_of(graph_view const& graph, parameter_list const& parameters) {
  std::vector<axis_value> axes;
  for (int input : graph.inputs) add_run_time(axes, graph[input].shape.feature());
  for (parameter_tensor const& t : parameters.all())
    for (axis_value const& axis : t.shape) add_run_time(axes, axis);
  return axes;
}

/// Of those, the ones that are another one renamed.
std::vector<std::pair<axis_value, axis_value>> renamed_widths_of(block_plan const& block) {
  std::vector<axis_value> const& chosen = block.run_time_widths;
  std::vector<std::pair<axis_value, axis_value>> pairs;
  for (int at = 0; at < block.graph.size(); ++at) {
    std::pair const pair(block.graph[at].shape.feature(), block.facts.width(at));
    if (pair.first == pair.second || std::ranges::find(chosen, pair.first) == chosen.end()) continue;
    if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
  }
  return pairs;
}

/// What couples tokens, in the order of its nodes.
std::vector<attention_use> attentions_of(graph_view const& graph, graph_facts const& facts) {
  std::vector<attention_use> list;
  for (int at = 0; at < graph.size(); ++at) {
    node const& n = graph[at];
    if (facts.is_needed(at) && calculus::rule_of(n).couples_tokens)
      list.push_back({.node = at, .queries = n.tokens, .keys = graph[n.operands[1]].tokens});
  }
  return list;
}

/// Whether a block can be computed token by token: no token of the stream looks ahead.
bool looks_back_only(block_plan const& block) {
  return std::ranges::all_of(block.attentions, [&](attention_use const& each) {
    return each.keys != 0 || (each.queries == 0 && block.graph[each.node].attention->causal);
  });
}

/// What the stream's tokens attend to, in the order in which attentions run; none where a block cannot step.
void find_cached(block_plan& block, program const& forward) {
  if (!looks_back_only(block)) return;
  std::map<int, int> written;  // of each value: its stage
  std::vector<stage> const stages = expanded(forward);
  for (std::size_t at = 0; at < stages.size(); ++at)
    for (instruction const& i : stages[at].instructions) {
      for (int value : writes_of(i)) written[value] = static_cast<int>(at);
      if (i.what != opcode::attend || forward[i.results[0]].tokens != 0) continue;
      node const& n = block.graph[i.node];
      auto const use = std::ranges::find(block.attentions, i.node, &attention_use::node);
      for (std::size_t k = 0; k < i.inputs.size(); ++k) {
        if (!calculus::rule_of(n).cacheable.contains(k)) continue;
        int const value = i.inputs[k].value;
        std::int64_t const window = n.attention->window;
        auto known = std::ranges::find(block.cached, value, &cached_value::value);
        if (known != block.cached.end()) {
          known->window = known->window > 0 && window > 0 ? std::max(known->window, window) : 0;
        } else {
          block.cached.push_back({.value = value,
                                  .width = forward[value].width.extent,
                                  .window = window,
                                  .tokens = forward[value].tokens,
                                  .stage = written[forward.base_of(value)]});
          known = block.cached.end() - 1;
        }
        if (use->cached < 0) use->cached = static_cast<int>(known - block.cached.begin());
      }
    }
}

}  // namespace

block_plan plan_block(std::string name, graph_view const& graph) {
  for (int output : graph.outputs)
    if (graph[output].tokens != 0)
      throw std::invalid_argument("residua: the result of " + name +
                                  " has the memory's tokens; it must have those of the stream");
  block_plan block{.name = std::move(name), .graph = graph, .facts = graph_facts(graph), .parameters = parameter_list(graph)};
  block.run_time_widths = run_time_widths_of(graph, block.parameters);
  block.renamed_widths = renamed_widths_of(block);
  block.attentions = attentions_of(graph, block.facts);
  std::vector<cached_value> none;
  program forward = schedule(lower_forward(graph, block.facts), block);
  find_cached(block, forward);
  block.forward = with_memory(std::move(forward), block, block.cached);
  block.jvp = with_memory(schedule(lower_jvp(graph, block.facts), block), block, none);
  block.vjp = with_memory(schedule(lower_vjp(graph, block.facts, block.parameters), block), block, none);
  return block;
}

}  // namespace residua::codegen
