#pragma once
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// What every lowering asks of a graph, worked out once.
struct graph_facts {
  explicit graph_facts(graph_view const& graph);

  std::vector<char> needed;  // of each node: whether the results are made of it
  std::vector<axis_value>
      widths;                    // of each node: its width, under the name by which its extent is known (`renamed` changes none)
  std::vector<layer_of> layers;  // of each node: the layer of the outermost stack that it stands in

  bool is_needed(int node) const { return needed[static_cast<std::size_t>(node)] != 0; }
  axis_value const& width(int node) const { return widths[static_cast<std::size_t>(node)]; }
  layer_of layer(int node) const { return layers[static_cast<std::size_t>(node)]; }
};

}  // namespace residua::codegen
