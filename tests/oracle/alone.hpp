#pragma once
// Operations as the table has them, each alone on a stream: what a test does for all of a kind it does for one that is added.
#include <residua/calculus/rules.hpp>
#include <vector>

namespace residua::oracle {

/// The graph of one operation of one operand, alone on a stream (T, d = 5); what it learns is below `N`.
class alone {
 public:
  explicit alone(graph::node made) {
    graph::shape_value const stream{{graph::axis_value{"T"}, graph::axis_value{"d", 5}}, 2};
    made.operands = {0, -1, -1};
    made.scope = 1;
    made.shape = stream;
    stored_.nodes = {graph::node{.shape = stream, .symbol = "x"}, made};
    stored_.scopes = {graph::scope{}, {.parent = 0, .name = "N"}};
    stored_.outputs = {1};
    word_ = calculus::rule_of(made).word;
  }
  graph::graph_view view() const { return stored_.view(word_); }

 private:
  graph::stored_graph<2, 2, 0> stored_;
  std::string_view word_;
};

/// Every activation, and every norm with its parameters, with an offset and without gain and bias.
inline std::vector<alone> every_activation_and_norm() {
  std::vector<alone> list;
  for (graph::op each : calculus::operations_of(calculus::kind::pointwise)) list.emplace_back(graph::node{.operation = each});
  for (graph::op each : calculus::operations_of(calculus::kind::norm)) {
    bool const has_bias = calculus::rule_of(each).parameters.contains(graph::role::bias);
    list.emplace_back(graph::node{.operation = each, .has_weight = true, .has_bias = has_bias, .epsilon = 1e-3});
    list.emplace_back(graph::node{.operation = each, .has_weight = true, .epsilon = 0.5, .unit_offset = true});
    list.emplace_back(graph::node{.operation = each, .epsilon = 0.5});
  }
  return list;
}

}  // namespace residua::oracle
