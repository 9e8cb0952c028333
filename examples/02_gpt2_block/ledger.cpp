// The shape ledger: what each step makes of the stream.
#include "loaded.hpp"

#include <algorithm>
#include <cstdio>

namespace {

namespace calculus = residua::calculus;

/// ln_1(x), attend(s3, s4, s5), x + s7: one step of a block, by the names of the steps before.
std::string step_text(graph::graph_view const& graph, graph::node const& n) {
  auto operand = [&](std::size_t k) { return n.operands[k] == 0 ? std::string("x") : "s" + std::to_string(n.operands[k]); };
  if (n.operation == graph::op::input) return "x";
  if (n.operation == graph::op::add) return operand(0) + " + " + operand(1);
  std::string text(calculus::rule_of(n.operation).word);
  if (std::ranges::any_of(calculus::every_role, [&](calculus::role each) { return calculus::reads(n, each); })) {
    graph::writer path;
    graph::write_path(path, graph, n.scope);
    text = path.view();
  }
  for (std::size_t k = 0; k < n.operands.size() && n.operands[k] >= 0; ++k) text += (k ? ", " : "(") + operand(k);
  if (n.operation == graph::op::columns) text += ", from " + std::to_string(n.first_feature);
  return text + ")";
}

}  // namespace

void print_ledger(graph::graph_view const& graph) {
  std::vector<reference::parameter_shape> const parameters = reference::parameter_shapes(graph);
  std::printf("  %-4s%-24s%-28s%s\n", "", "step", "shape", "parameters");
  std::size_t total = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    graph::node const& n = graph.nodes[i];
    graph::writer shape;
    graph::write(shape, n.shape);
    std::size_t count = 0;
    for (reference::parameter_shape const& each : parameters)
      if (each.reader == n) count += each.size({});
    total += count;
    std::string const name = i == 0 ? "" : "s" + std::to_string(i);
    std::printf("  %-4s%-24s%-28s%10s\n", name.c_str(), step_text(graph, n).c_str(), std::string(shape.view()).c_str(),
                count ? std::to_string(count).c_str() : "");
  }
  std::printf("  %-56s%10zu\n", "", total);
}
