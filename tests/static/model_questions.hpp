#pragma once
#include <residua/dsl.hpp>

/// What the tests of models ask of a block beside the library's own questions.
namespace model_questions {
namespace dsl = residua::dsl;
namespace graph = residua::graph;

/// All parameters in the order of their first use: "ln_1.weight ln_1.bias ...".
constexpr graph::rendered parameter_names(auto block) {
  graph::writer out;
  for (residua::calculus::parameter const& each : residua::calculus::parameters_of(block.view())) {
    if (!out.view().empty()) out.add(" ");
    residua::calculus::write_path(out, block.view(), each);
  }
  return graph::rendered(static_cast<graph::writer&&>(out));
}

/// What attention `index` computes between its projections.
constexpr graph::attention_value attention_of(auto block, int index = 0) {
  for (graph::node const& each : block.view().nodes)
    if (each.operation == graph::op::attend && index-- == 0) return *each.attention;
  return {};
}

/// Whether all norms have this operation, epsilon and offset; those of queries and keys as well.
constexpr bool norms_are(auto block, graph::op operation, double epsilon, bool unit_offset = false) {
  int norms = 0;
  for (graph::node const& each : block.view().nodes) {
    if (each.operation != graph::op::layer_norm && each.operation != graph::op::rms_norm) continue;
    if (each.operation != operation || each.epsilon != epsilon || each.unit_offset != unit_offset) return false;
    ++norms;
  }
  return norms > 0;
}

/// The inputs and outputs of all linear maps, in the order of use: "768x2304 768x768 ...".
constexpr graph::rendered weight_shapes(auto block) {
  graph::writer out;
  graph::graph_view const graph = block.view();
  for (graph::node const& each : graph.nodes) {
    if (each.operation != graph::op::linear) continue;
    if (!out.view().empty()) out.add(" ");
    out.add_integer(graph.nodes[static_cast<std::size_t>(each.operands[0])].shape.feature().extent);
    out.add("x");
    out.add_integer(each.shape.feature().extent);
  }
  return graph::rendered(static_cast<graph::writer&&>(out));
}

/// The heads that each norm works on: 1 where it takes all features together.
constexpr std::int64_t groups_of_norm(auto block, int index) {
  for (graph::node const& each : block.view().nodes)
    if ((each.operation == graph::op::layer_norm || each.operation == graph::op::rms_norm) && index-- == 0) return each.groups;
  return 0;
}

}  // namespace model_questions
