#include <algorithm>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/pipeline.hpp>

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

bool is_repetition(block_plan const& block, int at) {
  return block.facts.is_needed(at) && calculus::kind_of(block.graph[at]) == calculus::kind::repetition;
}

/// Whether a block can be computed token by token: all streams and results have the same tokens, none of these looks ahead, and
/// what is the same at each token is a memory's, of a width that is known.
bool looks_back_only(block_plan const& block) {
  graph_view const& graph = block.graph;
  for (std::size_t k = 0; k < graph.streams; ++k)
    if (graph.input(k).tokens != 0) return false;
  for (int output : graph.outputs)
    if (graph[output].tokens != 0) return false;
  for (int at = 0; at < graph.size(); ++at) {
    if (!is_repetition(block, at)) continue;
    int const of = graph[at].operands[0];
    if (graph[of].tokens == 0 || block.facts.width(of).extent == graph::run_time) return false;
  }
  return std::ranges::all_of(block.attentions, [&](attention_use const& each) {
    return each.keys != 0 || (each.queries == 0 && block.graph[each.node].attention->causal);
  });
}

/// What a block keeps for later tokens, in the order in which its attentions and stages read it.
class cache_search {
 public:
  cache_search(block_plan& block, program const& forward) : block_(block), forward_(forward) {}

  void run() {
    std::vector<stage> const stages = expanded(forward_);
    for (std::size_t at = 0; at < stages.size(); ++at)
      for (instruction const& i : stages[at].instructions) {
        for (int value : writes_of(i)) written_[value] = static_cast<int>(at);
        if (i.results.empty() || forward_[i.results[0]].tokens != 0) continue;
        if (i.what == opcode::attend) keep_of_attention(i);
        else if (i.what == opcode::repeat_sequences) keep(i.inputs[0].value, 0);
      }
  }

 private:
  void keep_of_attention(instruction const& i) {
    node const& n = block_.graph[i.node];
    auto const use = std::ranges::find(block_.attentions, i.node, &attention_use::node);
    for (std::size_t k = 0; k < i.inputs.size(); ++k) {
      if (!calculus::rule_of(n).cacheable.contains(k)) continue;
      int const at = keep(i.inputs[k].value, n.attention->window);
      if (use->cached < 0) use->cached = at;
    }
  }

  /// Its place among what is kept. `window`: so many of the last tokens are read; 0: all.
  int keep(int value, std::int64_t window) {
    auto known = std::ranges::find(block_.cached, value, &cached_value::value);
    if (known != block_.cached.end()) {
      known->window = known->window > 0 && window > 0 ? std::max(known->window, window) : 0;
    } else {
      block_.cached.push_back({.value = value,
                               .width = forward_[value].width.extent,
                               .window = window,
                               .tokens = forward_[value].tokens,
                               .stage = written_[forward_.base_of(value)]});
      known = block_.cached.end() - 1;
    }
    return static_cast<int>(known - block_.cached.begin());
  }

  block_plan& block_;
  program const& forward_;
  std::map<int, int> written_;  // of each value: its stage
};

/// None where a block cannot step: without an attention, too, where each token stands for itself.
void find_cached(block_plan& block, program const& forward) {
  if (!block.attentions.empty() && looks_back_only(block)) cache_search(block, forward).run();
}

}  // namespace

bool block_plan::has_conditions() const {
  for (int at = 0; at < graph.size(); ++at)
    if (is_repetition(*this, at)) return true;
  return false;
}

block_plan plan_block(std::string name, graph_view const& graph) {
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
