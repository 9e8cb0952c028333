#pragma once
// A block with numbers in it: the extents of its run-time axes, its parameters by path, and its streams.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <residua/calculus/derive.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace residua::reference {

using graph::graph_view;
using graph::node;
using graph::op;

inline node const& operand_of(graph_view const& graph, node const& n, std::size_t k = 0) { return graph[n.operands[k]]; }

/// The lengths of run-time axes, by name.
using extents = std::map<std::string, std::int64_t, std::less<>>;

inline std::size_t length_of(extents const& lengths, graph::axis_value const& axis) {
  if (axis.extent != graph::run_time) return static_cast<std::size_t>(axis.extent);
  auto const found = lengths.find(axis.name);
  if (found == lengths.end()) throw std::invalid_argument("reference: no extent for axis " + std::string(axis.name));
  return static_cast<std::size_t>(found->second);
}

/// Adds the axes that `renamed` introduced: they are as long as those they replace.
inline extents with_renamed(graph_view const& graph, extents lengths) {
  for (node const& n : graph.nodes) {
    if (n.operation != op::renamed) continue;
    graph::shape_value const& from = operand_of(graph, n).shape;
    for (std::size_t i = 0; i < n.shape.rank; ++i) {
      graph::axis_value const& to = n.shape.axes[i];
      if (to.extent == graph::run_time && !lengths.contains(to.name))
        lengths.emplace(to.name, static_cast<std::int64_t>(length_of(lengths, from.axes[i])));
    }
  }
  return lengths;
}

inline std::size_t width_of(extents const& lengths, graph::shape_value const& shape) {
  return length_of(lengths, shape.feature());
}
inline std::size_t tokens_of(extents const& lengths, graph::shape_value const& shape) {
  std::size_t count = 1;
  for (std::size_t i = 0; i + 1 < shape.rank; ++i) count *= length_of(lengths, shape.axes[i]);
  return count;
}
/// The tokens of one sequence, and how many sequences there are.
inline std::size_t sequence_length(extents const& lengths, graph::shape_value const& shape) {
  return length_of(lengths, shape.axes[shape.rank - 2]);
}
inline std::size_t sequences_of(extents const& lengths, graph::shape_value const& shape) {
  std::size_t count = 1;
  for (std::size_t i = 0; i + 2 < shape.rank; ++i) count *= length_of(lengths, shape.axes[i]);
  return count;
}
inline std::size_t size_of(extents const& lengths, graph::shape_value const& shape) {
  return tokens_of(lengths, shape) * width_of(lengths, shape);
}

/// The path of what a node reads: F.up.weight.
inline std::string path_of(graph_view const& graph, calculus::parameter const& which) {
  graph::writer path;
  calculus::write_path(path, graph, which);
  return std::string(path.view());
}

/// A parameter with the axes it lies over and the first node that reads it.
struct parameter_shape {
  std::string path;
  calculus::parameter which;
  node reader;
  std::vector<graph::axis_value> axes{};

  std::size_t size(extents const& lengths) const {
    std::size_t count = 1;
    for (graph::axis_value const& axis : axes) count *= length_of(lengths, axis);
    return count;
  }
};

/// Every parameter of a block, in the order of first use.
inline std::vector<parameter_shape> parameter_shapes(graph_view const& graph) {
  std::vector<parameter_shape> list;
  for (calculus::parameter const& which : calculus::parameters_of(graph)) {
    auto const reader = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                     [&](node const& n) { return n.scope == which.scope && calculus::reads(n, which.which); });
    list.push_back({path_of(graph, which), which, *reader, calculus::axes_of(graph, *reader, which.which)});
  }
  return list;
}

/// The numbers of each parameter, row-major, by path.
template <class Number>
using parameters = std::map<std::string, std::vector<Number>, std::less<>>;

template <class Number>
struct problem {
  graph_view graph;
  extents lengths;
  parameters<Number> weights{};
  std::vector<std::vector<Number>> inputs{};  // its streams and its memory
  std::vector<std::int64_t> key_lengths{};    // of each sequence of the stream, and of the memory; none: all tokens are there
  std::vector<std::int64_t> memory_lengths{};
};

/// The numbers of all results, one behind the other.
inline std::size_t size_of_results(extents const& lengths, graph_view const& graph) {
  std::size_t size = 0;
  for (int at : graph.outputs) size += size_of(lengths, graph[at].shape);
  return size;
}

template <class To, class From>
std::vector<To> converted(std::vector<From> const& numbers) {
  std::vector<To> list;
  list.reserve(numbers.size());
  for (From const& each : numbers) list.push_back(static_cast<To>(each));
  return list;
}

template <class To, class From>
problem<To> converted(problem<From> const& from) {
  problem<To> made{from.graph, from.lengths};
  for (auto const& [path, numbers] : from.weights) made.weights.emplace(path, converted<To>(numbers));
  for (auto const& numbers : from.inputs) made.inputs.push_back(converted<To>(numbers));
  made.key_lengths = from.key_lengths;
  made.memory_lengths = from.memory_lengths;
  return made;
}

/// Numbers of mean 0 and variance 1, bounded by sqrt(3), the same on every machine (splitmix64).
class noise {
 public:
  explicit noise(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double next() { return std::sqrt(3.0) * (static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0); }
  std::vector<double> list(std::size_t count) {
    std::vector<double> numbers(count);
    for (double& each : numbers) each = next();
    return numbers;
  }

 private:
  std::uint64_t state_;
};

/// Numbers that a trained block could have: gains, learned scalars and vectors around 1, biases around 0, weights of
/// variance 1 / in.
inline std::vector<double> plausible(parameter_shape const& parameter, extents const& lengths, noise& source) {
  bool const bias = parameter.which.which == calculus::role::bias;
  bool const matrix = parameter.axes.size() == 2;
  double const centre = bias || matrix || parameter.reader.unit_offset ? 0.0 : 1.0;
  double const spread = matrix ? 1.0 / std::sqrt(static_cast<double>(length_of(lengths, parameter.axes[0]))) : 0.3;
  std::vector<double> numbers = source.list(parameter.size(lengths));
  for (double& each : numbers) each = centre + spread * each;
  return numbers;
}

/// The block with plausible parameters and streams of noise.
inline problem<double> random_problem(graph_view const& graph, extents const& given, std::uint64_t seed) {
  noise source(seed);
  problem<double> made{graph, with_renamed(graph, given)};
  for (parameter_shape const& each : parameter_shapes(graph))
    made.weights.emplace(each.path, plausible(each, made.lengths, source));
  for (int at : graph.inputs) made.inputs.push_back(source.list(size_of(made.lengths, graph[at].shape)));
  return made;
}

}  // namespace residua::reference
