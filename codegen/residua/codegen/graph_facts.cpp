#include <algorithm>
#include <residua/codegen/graph_facts.hpp>

namespace residua::codegen {

namespace {

using calculus::kind;

std::vector<char> needed_nodes(graph_view const& graph) {
  std::vector<char> needed(graph.nodes.size(), 0);
  for (int output : graph.outputs) needed[static_cast<std::size_t>(output)] = 1;
  for (int at = graph.size() - 1; at >= 0; --at)
    if (needed[static_cast<std::size_t>(at)] != 0)
      for (int operand : graph[at].operands)
        if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
  return needed;
}

/// Whether an operation makes a width of its own; the others have that of an operand.
bool makes_width(kind of) {
  switch (of) {
    case kind::input:
    case kind::term:
    case kind::repetition:
    case kind::reduction:
    case kind::product:
    case kind::selection:
    case kind::joining: return true;
    case kind::sum:
    case kind::scale:
    case kind::hadamard:
    case kind::token_scale:
    case kind::renamed:
    case kind::stopped:
    case kind::norm:
    case kind::pointwise:
    case kind::rotation:
    case kind::coupling: return false;
  }
  return true;
}

/// The first operand, or what stands beside a term.
int width_giver(graph_view const& graph, node const& n) {
  return n.operands[1] >= 0 && calculus::kind_of(graph[n.operands[0]]) == kind::term ? n.operands[1] : n.operands[0];
}

std::vector<axis_value> widths_of(graph_view const& graph) {
  std::vector<axis_value> widths;
  for (node const& n : graph.nodes)
    widths.push_back(makes_width(calculus::kind_of(n)) ? n.shape.feature()
                                                       : widths[static_cast<std::size_t>(width_giver(graph, n))]);
  return widths;
}

/// Whether a scope is a layer of a stack that has others.
bool is_one_of_several(graph_view const& graph, graph::scope const& layer) {
  return layer.layer >= 0 && std::ranges::any_of(graph.scopes, [&](graph::scope const& other) {
           return other.parent == layer.parent && other.layer >= 0 && other.layer != layer.layer;
         });
}

/// The outermost layer around a scope.
layer_of layer_around(graph_view const& graph, int scope) {
  layer_of found;
  for (int at = scope; at >= 0; at = graph.scopes[static_cast<std::size_t>(at)].parent) {
    graph::scope const& here = graph.scopes[static_cast<std::size_t>(at)];
    if (is_one_of_several(graph, here)) found = {here.parent, here.layer};
  }
  return found;
}

std::vector<layer_of> layers_of(graph_view const& graph) {
  std::vector<layer_of> of_scope;
  for (int at = 0; at < static_cast<int>(graph.scopes.size()); ++at) of_scope.push_back(layer_around(graph, at));
  std::vector<layer_of> layers;
  for (node const& n : graph.nodes) layers.push_back(of_scope[static_cast<std::size_t>(n.scope)]);
  return layers;
}

}  // namespace

graph_facts::graph_facts(graph_view const& graph)
    : needed(needed_nodes(graph)), widths(widths_of(graph)), layers(layers_of(graph)) {}

}  // namespace residua::codegen
