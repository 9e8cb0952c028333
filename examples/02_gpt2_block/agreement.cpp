// How far the kernels are from the interpreter in double.
#include "loaded.hpp"

#include <algorithm>
#include <iostream>
#include <residua/reference/derivative.hpp>

namespace {

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
void compare(Loaded const& block, stream const& x) {
  double const bound = 2e-5;  // float: a few hundred roundings of 6e-8 on the way to an element
  stream const dx = unit_noise(x, 1), g = unit_noise(x, 2);
  auto const [y, dy] = block.kernel.jvp(x, dx);
  auto const gradient = block.kernel.vjp(x, g);

  auto moving = reference::converted<reference::dual<double, 2>>(block.exact);
  for (std::size_t i = 0; i < moving.inputs[0].size(); ++i) moving.inputs[0][i].slope[0] = static_cast<double>(dx.data()[i]);
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

}  // namespace

void print_agreement(pre_block const& pre, post_block const& post, stream const& x) {
  std::cout << "agreement with the interpreter in double: largest difference over the largest number\n";
  compare(pre, x);
  compare(post, x);
}
