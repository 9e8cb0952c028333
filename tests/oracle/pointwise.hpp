#pragma once
// The activations, as the table has them: what a test does for each of them it does for one that is added.
#include <residua/calculus/rules.hpp>
#include <vector>

namespace residua::oracle {

inline std::vector<graph::op> pointwise_operations() {
  std::vector<graph::op> list;
  for (calculus::rule const& row : calculus::rules)
    if (row.is == calculus::kind::pointwise) list.push_back(row.operation);
  return list;
}

/// The graph of one pointwise operation, alone on a stream (T, d = 5).
class alone {
 public:
  explicit alone(graph::op operation) {
    graph::shape_value const stream{{graph::axis_value{"T"}, graph::axis_value{"d", 5}}, 2};
    stored_.nodes = {graph::node{.shape = stream, .symbol = "x"},
                     graph::node{.operation = operation, .operands = {0, -1, -1}, .shape = stream}};
    stored_.outputs = {1};
    word_ = calculus::rule_of(operation).word;
  }
  graph::graph_view view() const { return stored_.view(word_); }

 private:
  graph::stored_graph<2, 1, 0> stored_;
  std::string_view word_;
};

}  // namespace residua::oracle
