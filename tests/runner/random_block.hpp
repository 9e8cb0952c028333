// Random blocks: well-typed, of every operation and option, deterministic from a seed and a number.
#pragma once

#include "recorder.hpp"

#include <residua/reference/problem.hpp>

#include <deque>

namespace residua::random_graph {

/// A block with lengths for its run-time axes. Moves, does not copy: the graph points into it.
struct random_block {
  std::string name;
  std::deque<std::string> names;         // of axes and constants
  std::vector<operation_pointer> owned;  // the graph points to their names and options
  std::vector<graph::node> nodes;
  std::vector<graph::scope> scopes;
  std::vector<graph::call> calls;
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::size_t streams = 1;
  reference::extents lengths;  // of every run-time axis

  graph::graph_view view() const { return {name, nodes, scopes, calls, inputs, outputs, streams}; }
};

/// How large blocks become.
struct limits {
  int most_nodes = 45;
  bool long_streams = true;  // some of more tokens than a tile has rows
};

/// Block number `number` of a seed.
random_block make_block(std::uint64_t seed, std::uint64_t number, limits const& most = {});

/// What the block computes, as its author could have written it, and the extents: for reports.
std::string described(random_block const& block);

}  // namespace residua::random_graph
