// How near the kernels are to the machine's limit.
#include "loaded.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <residua/rt/kernels/functions.hpp>
#include <utility>
#include <vector>

namespace {

/// Operations of one step: 2 m n k of a product, and the scores and sums that a causal attention needs.
double operations_of(graph::graph_view const& graph, reference::extents const& lengths, graph::node const& n) {
  double const size = static_cast<double>(reference::size_of(lengths, n.shape));
  switch (n.operation) {
    case graph::op::linear:
      return 2 * size * static_cast<double>(reference::width_of(lengths, reference::operand_of(graph, n).shape));
    case graph::op::attend:  // q k^T and p v: to each token, those up to it
      return 2 * 2 * size * static_cast<double>(reference::sequence_length(lengths, n.shape) + 1) / 2;
    default: return 0;
  }
}

/// Operations of forward, and of vjp: two products backward for each one forward, and forward again, but for what only
/// additions read on its way to the result.
std::pair<double, double> operations_of(graph::graph_view const& graph, reference::extents const& lengths) {
  std::vector<bool> needed(graph.nodes.size(), false);
  double forward = 0, vjp = 0;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    graph::node const& n = graph.nodes[i];
    for (int operand : n.operands)
      if (operand >= 0 && (n.operation != graph::op::add || needed[i])) needed[static_cast<std::size_t>(operand)] = true;
    double const own = operations_of(graph, lengths, n);
    forward += own;
    vjp += own * (needed[i] ? 3 : 2);
  }
  return {forward, vjp};
}

/// Processor time, so that other programs on the machine count little.
double seconds_of(std::function<void()> const& work) {
  std::clock_t const start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct timed {
  std::string what;
  double operations;
  std::function<void()> work;
  double best = 1e300;  // seconds
};

/// forward and vjp of one block, without allocations.
template <class Loaded>
void add_work(std::vector<timed>& list, Loaded const& block, stream const& x) {
  auto const scratch = std::make_shared<rt::workspace>(block.kernel.make_workspace(x.shape()[0], x.shape()[1]));
  auto const y = std::make_shared<stream>(x);
  auto const g = std::make_shared<stream>(unit_noise(x, 2));
  auto const gradient = std::make_shared<decltype(block.kernel.vjp(x, x))>(block.kernel.vjp(x, *g));
  auto const [forward, vjp] = operations_of(block.exact.graph, block.exact.lengths);
  list.push_back({block.name + ": forward", forward, [&, scratch, y] { block.kernel.forward(x, *y, *scratch); }});
  list.push_back({block.name + ": vjp with all gradients", vjp,
                  [&, scratch, g, gradient] { block.kernel.vjp(x, *g, *gradient, *scratch); }});
}

}  // namespace

/// One thread; the best of 15 rounds in which limit and kernels take turns, so that all see the same machine.
void print_times(pre_block const& pre, post_block const& post, stream const& x) {
  rt::instruction_set const set = pre.kernel.instructions();
  auto const multiply_add_chains = rt::functions_for<float>(set).multiply_add_chains;
  double limit_operations = 0;
  float result = 0;
  std::vector<timed> list{
      {"fused multiply-adds in registers", 0, [&] { limit_operations = multiply_add_chains(5'000'000, &result); }}};
  add_work(list, pre, x);
  add_work(list, post, x);
  for (int round = 0; round < 15; ++round)
    for (timed& each : list) each.best = std::min(each.best, seconds_of(each.work));
  list[0].operations = limit_operations;
  double const limit = limit_operations / list[0].best;
  std::cout << "time at (" << x.shape()[0] << ", " << x.shape()[1] << ", " << x.shape()[2] << "), float, " << rt::name(set)
            << ", one thread, best processor time of 15\n";
  for (timed const& each : list) {
    double const rate = each.operations / each.best;
    std::printf("  %-36s%8.2f GF", each.what.c_str(), each.operations * 1e-9);
    std::printf("%9.2f ms%8.1f GF/s%5.0f %% of the limit\n", each.best * 1e3, rate * 1e-9, 100 * rate / limit);
  }
}
