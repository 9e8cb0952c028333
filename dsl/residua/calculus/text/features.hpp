#pragma once
#include <residua/calculus/rules.hpp>

namespace residua::calculus {

/// Features next to each other among more: which axis they are by themselves, and where they begin.
struct feature_range {
  graph::axis_value axis{};
  std::int64_t first = 0;
};

/// The features that a node selects, or that operand k becomes.
constexpr feature_range features_of(graph_view const& graph, int at, std::size_t k = 0) {
  node const& n = graph[at];
  if (kind_of(n) == kind::selection) return {n.shape.feature(), n.first_feature};
  std::int64_t first = 0;
  for (std::size_t before = 0; before < k; ++before) first += graph[n.operands[before]].shape.feature().extent;
  return {graph[n.operands[k]].shape.feature(), first};
}

/// Writes the name of their axis; with where they begin if the block has other features by that axis: h[16].
constexpr void write_features(writer& out, graph_view const& graph, feature_range const& which) {
  out.add(which.axis.name);
  bool others = false;
  for (int at = 0; at < graph.size(); ++at) {
    node const& n = graph[at];
    if (kind_of(n) != kind::selection && kind_of(n) != kind::joining) continue;
    for (std::size_t k = 0; k < n.operands.size() && n.operands[k] >= 0; ++k) {
      feature_range const each = features_of(graph, at, k);
      others = others || (each.axis == which.axis && each.first != which.first);
    }
  }
  if (!others) return;
  out.add("[");
  out.add_integer(which.first);
  out.add("]");
}

}  // namespace residua::calculus
