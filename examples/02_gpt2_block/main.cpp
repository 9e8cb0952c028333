// GPT-2's block and its post-norm twin, from written weights: what each step makes of the stream, what the norm's place
// does to the gradient's route, how far the kernels are from the interpreter in double, and how near to the machine's limit.
#include "blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <gpt2/post_norm.hpp>
#include <gpt2/pre_norm.hpp>
#include <iostream>
#include <memory>
#include <residua/reference/derivative.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <xtensor/xnpy.hpp>

#include "fma_peak.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace {

namespace rt = residua::rt;
namespace graph = residua::graph;
namespace dsl = residua::dsl;
namespace calculus = residua::calculus;
namespace reference = residua::reference;

using stream = rt::tensor<float, 3>;  // (B, T, d)

bool all_hold = true;

/// Prints a figure and whether it keeps its bound.
void show(std::string const& what, double value, double bound) {
  bool const holds = value <= bound;
  all_hold = all_hold && holds;
  std::printf("  %-52s %.1e (at most %.0e)%s\n", what.c_str(), value, bound, holds ? "" : "   <-- NOT KEPT");
}

template <class A, class B>
double dot(A const& a, B const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  return sum;
}
template <class A>
double length(A const& a) {
  return std::sqrt(dot(a, a));
}

/// The largest |a - b| over the largest |b|; not finite where a number of a is not.
template <class A, class B>
double relative_difference(A const& a, B const& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double const away = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
    if (!std::isfinite(away)) return away;
    most = std::max(most, away);
    size = std::max(size, std::abs(static_cast<double>(b.data()[i])));
  }
  return most / size;
}

stream times(float c, stream x) {
  for (float& each : x) each *= c;
  return x;
}

/// A stream of noise, of length 1.
stream unit_noise(stream const& like, std::uint64_t seed) {
  reference::noise source(seed);
  stream g = like;
  for (float& each : g) each = static_cast<float>(source.next());
  return times(static_cast<float>(1 / length(g)), g);
}

/// One block with its weights, and the same for the interpreter in double.
template <template <class> class Kernel, class Parameters, class Block>
struct loaded {
  std::string name;
  Parameters p;
  Kernel<float> kernel;
  reference::problem<double> exact;

  loaded(std::filesystem::path const& folder, stream const& x, Block block)
      : name(Block::name), p(from(folder)), kernel(p), exact{block.view(), {{"B", x.shape()[0]}, {"T", x.shape()[1]}}} {
    for_each(p, [&](std::string_view path, auto const& tensor) {
      exact.weights.emplace(path, std::vector<double>(tensor.begin(), tensor.end()));
    });
    exact.x.assign(x.begin(), x.end());
  }

 private:
  static Parameters from(std::filesystem::path const& folder) {
    Parameters p;
    p.load(folder);
    return p;
  }
};

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

/// Every step of the block with its shape and how many parameters it reads.
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

template <template <class> class Kernel, class Block>
void print_algebra(Block block) {
  std::cout << Block::name << ": " << Kernel<float>::expression << "\n  Jacobian       " << jacobian(block)
            << "\n  identity route " << identity_route(block).text() << "\n";
}

/// |<a, b> - wanted| for an a that is compared along noise b: their product is about |a| |b| / sqrt(size).
struct along_noise {
  double product = 0, a_square = 0, b_square = 0, size = 0;

  template <class A, class B>
  void add(A const& a, B const& b) {
    product += dot(a, b);
    a_square += dot(a, a);
    b_square += dot(b, b);
    size += static_cast<double>(a.size());
  }
  double off(double wanted) const { return std::abs(product - wanted) / std::sqrt(a_square * b_square / size); }
};

/// Forward, JVP and VJP with the gradients of all parameters, against the interpreter on numbers with two derivatives: along
/// dx, and along noise dp in all parameters together.
template <class Loaded>
void compare_with_interpreter(Loaded const& block, stream const& x) {
  double const bound = 2e-5;  // float: a few hundred roundings of 6e-8 on the way to an element
  stream const dx = unit_noise(x, 1), g = unit_noise(x, 2);
  auto const [y, dy] = block.kernel.jvp(x, dx);
  auto const gradient = block.kernel.vjp(x, g);

  auto moving = reference::converted<reference::dual<double, 2>>(block.exact);
  for (std::size_t i = 0; i < moving.x.size(); ++i) moving.x[i].slope[0] = static_cast<double>(dx.data()[i]);
  along_noise of_stream, of_parameters;
  of_stream.add(gradient.x, dx);
  reference::noise source(3);
  for_each(gradient.parameters, [&](std::string_view path, auto const& tensor) {
    std::vector<double> const dp = source.list(tensor.size());
    of_parameters.add(tensor, dp);
    auto& numbers = moving.weights.find(path)->second;
    for (std::size_t i = 0; i < dp.size(); ++i) numbers[i].slope[1] = dp[i];
  });
  std::vector<double> exact_y, exact_dy, exact_by_parameters;
  for (reference::dual<double, 2> const& each : reference::output(moving)) {
    exact_y.push_back(each.value);
    exact_dy.push_back(each.slope[0]);
    exact_by_parameters.push_back(each.slope[1]);
  }
  show(block.name + ": forward", relative_difference(block.kernel.forward(x), exact_y), bound);
  show(block.name + ": JVP, J dx", relative_difference(dy, exact_dy), bound);
  show(block.name + ": VJP, <J^T g, dx> and <g, J dx>", of_stream.off(dot(g, exact_dy)), bound);
  show(block.name + ": gradients of all parameters, likewise", of_parameters.off(dot(g, exact_by_parameters)), bound);
}

/// |J^T g| of `layers` of the block in a row at x, for a g of length 1.
template <class Loaded>
double pulled_back(Loaded const& block, stream const& x, int layers) {
  std::vector<stream> streams{x};
  for (int i = 1; i < layers; ++i) streams.push_back(block.kernel.forward(streams.back()));
  stream g = unit_noise(x, 2);
  for (int i = layers; i > 0; --i) g = block.kernel.vjp(streams[static_cast<std::size_t>(i) - 1], g).x;
  return length(g);
}

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

/// The machine's limit for an instruction set: operations done, for as many steps.
double fma_chains_of(rt::instruction_set set, long steps) {
  float result = 0;
  double operations = 0;
#if defined(HAS_avx512)
  if (set == rt::instruction_set::avx512) operations = fma_chains<rt::avx512>(steps, result);
#endif
#if defined(HAS_avx2)
  if (set == rt::instruction_set::avx2) operations = fma_chains<rt::avx2>(steps, result);
#endif
  if (set == rt::instruction_set::baseline) operations = fma_chains<rt::baseline>(steps, result);
  return operations;
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

/// One thread; the best of 15 rounds in which limit and kernels take turns, so that all see the same machine.
template <class A, class B>
void print_times(A const& pre, B const& post, stream const& x) {
  rt::instruction_set const set = pre.kernel.instructions();
  double limit_operations = 0;
  std::vector<timed> list{{"fused multiply-adds in registers", 0, [&] { limit_operations = fma_chains_of(set, 5'000'000); }}};
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

void run(std::filesystem::path const& folder) {
#if defined(_OPENMP)
  omp_set_num_threads(1);
#endif
  if (!std::filesystem::exists(folder / "x.npy"))
    throw std::runtime_error("no x.npy in " + folder.string() + "; write_weights.py writes it");
  stream const x = xt::load_npy<float>((folder / "x.npy").string());
  loaded<gpt2::pre_norm::kernel, gpt2::pre_norm::parameters<float>, decltype(blocks::pre_norm)> const pre(folder / "parameters",
                                                                                                          x, blocks::pre_norm);
  loaded<gpt2::post_norm::kernel, gpt2::post_norm::parameters<float>, decltype(blocks::post_norm)> const post(
      folder / "parameters", x, blocks::post_norm);

  std::cout << "GPT-2's block, step by step\n";
  print_ledger(blocks::pre_norm.view());
  print_algebra<gpt2::pre_norm::kernel>(blocks::pre_norm);
  print_algebra<gpt2::post_norm::kernel>(blocks::post_norm);

  std::cout << "agreement with the interpreter in double: largest difference over the largest number\n";
  compare_with_interpreter(pre, x);
  compare_with_interpreter(post, x);

  std::cout << "what the norm's place does to the gradient's route: length of J^T g, for a g of length 1\n"
            << "  stream                                       pre_norm  post_norm\n";
  auto row = [&](char const* at, stream const& from, int layers) {
    std::printf("  %-42s%11.4f%11.4f\n", at, pulled_back(pre, from, layers), pulled_back(post, from, layers));
  };
  row("x", x, 1);
  row("4 x", times(4, x), 1);
  row("16 x", times(16, x), 1);
  row("x, through 12 blocks", x, 12);
  row("16 x, through 12 blocks", times(16, x), 12);
  std::cout << "  pre_norm keeps an I whatever the stream's size; J_ln_1 in post_norm's route divides by it\n";

  print_times(pre, post, x);
  std::cout << (all_hold ? "all bounds kept\n" : "a bound was not kept\n");
}

}  // namespace

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : "weights");
  return all_hold ? 0 : 1;
} catch (std::exception const& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
