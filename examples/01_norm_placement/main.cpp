// What a norm's place does to the gradient's route, in numbers: the pre-norm and the post-norm block of blocks.hpp on
// given weights, against given answers, and both at the size of a real model against the interpreter in double.
#include "blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <large/post_norm.hpp>
#include <large/pre_norm.hpp>
#include <limits>
#include <residua/reference/interpreter.hpp>
#include <small/post_norm.hpp>
#include <small/pre_norm.hpp>
#include <string>
#include <vector>

namespace {

namespace rt = residua::rt;

bool all_hold = true;

/// Prints a figure and whether it keeps its bound.
void show(char const* what, double value, double bound) {
  bool const holds = value <= bound;
  all_hold = all_hold && holds;
  std::printf("  %-52s %.3g (at most %.0e)%s\n", what, value, bound, holds ? "" : "   <-- NOT KEPT");
}

template <class A, class B>
double largest_difference(A const& a, B const& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const off = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
    most = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(most, off);
  }
  return most;
}

template <class A, class B>
double dot(A const& a, B const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  return sum;
}

/// The largest singular value, by power iteration on J^T J.
double spectral_norm(rt::tensor<double, 2> const& j) {
  auto const n = j.shape()[1];
  std::vector<double> v(n, 1.0);
  double norm = 0;
  for (int step = 0; step < 500; ++step) {
    std::vector<double> u(j.shape()[0], 0.0), next(n, 0.0);
    for (std::size_t r = 0; r < u.size(); ++r)
      for (std::size_t c = 0; c < n; ++c) u[r] += j(r, c) * v[c];
    for (std::size_t r = 0; r < u.size(); ++r)
      for (std::size_t c = 0; c < n; ++c) next[c] += j(r, c) * u[r];
    norm = std::sqrt(std::sqrt(dot(next, next)));
    double const length = std::sqrt(dot(next, next));
    for (std::size_t c = 0; c < n; ++c) v[c] = next[c] / length;
  }
  return norm;
}

/// The files of data/: the weights of the small block, a stream x: (B, T, d) = (1, 4, 6), and what both blocks make of it.
struct given {
  rt::tensor<double, 2> wa = rt::zeros<double>(6, 6), w1 = rt::zeros<double>(6, 12), w2 = rt::zeros<double>(12, 6);
  rt::tensor<double, 3> x = rt::zeros<double>(1, 4, 6), pre_norm_y = x, post_norm_y = x;
  rt::tensor<double, 2> pre_norm_jacobian = rt::zeros<double>(24, 24), post_norm_jacobian = pre_norm_jacobian;  // (B T d, B T d)

  explicit given(std::filesystem::path const& folder) {
    auto const slot = [](char const* name, auto& tensor) {
      return rt::parameter_slot<double>{name, {tensor.shape().begin(), tensor.shape().end()}, tensor.data()};
    };
    std::vector<rt::parameter_slot<double>> const slots{slot("Wa", wa),
                                                        slot("W1", w1),
                                                        slot("W2", w2),
                                                        slot("x", x),
                                                        slot("pre_norm.y", pre_norm_y),
                                                        slot("pre_norm.jacobian", pre_norm_jacobian),
                                                        slot("post_norm.y", post_norm_y),
                                                        slot("post_norm.jacobian", post_norm_jacobian)};
    rt::load_parameters<double>(folder.string(), slots);
  }
};

/// The small block, in double, against given answers.
template <template <class> class Kernel, class Parameters, class Block>
void compare_with_answers(given const& data, rt::tensor<double, 3> const& y_given, rt::tensor<double, 2> const& j_given,
                          std::string const& name, Block block, double trace_per_dimension) {
  Parameters p;
  p.A.W.weight = data.wa;
  p.M.up.weight = data.w1;
  p.M.down.weight = data.w2;
  Kernel<double> const kernel(p);

  rt::tensor<double, 3> const& x = data.x;
  rt::tensor<double, 3> const y = kernel.forward(x);
  rt::tensor<double, 2> const j = kernel.jacobian(x);

  std::cout << name << ": " << Kernel<double>::expression << "\n  x " << "(" << x.shape()[0] << ", " << x.shape()[1] << ", "
            << x.shape()[2] << ") -> (" << y.shape()[0] << ", " << y.shape()[1] << ", " << y.shape()[2] << "), Jacobian ("
            << j.shape()[0] << ", " << j.shape()[1] << ")\n  Jacobian       " << jacobian(block) << "\n  identity route "
            << identity_route(block).text() << "\n";
  std::printf("  trace per dimension %.16f, Frobenius norm %.6f, spectral norm %.6f\n",
              kernel.jacobian_trace(x) / static_cast<double>(x.size()), std::sqrt(dot(j, j)), spectral_norm(j));
  show("trace per dimension, from the given one",
       std::abs(kernel.jacobian_trace(x) / static_cast<double>(x.size()) - trace_per_dimension), 1e-13);
  show("output, largest deviation from the given one", largest_difference(y, y_given), 1e-12);
  show("Jacobian, largest deviation from the given one", largest_difference(j, j_given), 1e-12);

  rt::tensor<double, 3> dx = x, dy = y;
  for (std::size_t i = 0; i < dx.size(); ++i) dx.data()[i] = std::cos(static_cast<double>(i));
  for (std::size_t i = 0; i < dy.size(); ++i) dy.data()[i] = std::sin(static_cast<double>(i));
  auto const [y_again, jdx] = kernel.jvp(x, dx);
  auto const g = kernel.vjp(x, dy);
  double jvp_error = 0, vjp_error = 0;
  for (std::size_t r = 0; r < dx.size(); ++r) {
    double row = 0, column = 0;
    for (std::size_t c = 0; c < dx.size(); ++c) {
      row += j(r, c) * dx.data()[c];
      column += j(c, r) * dy.data()[c];
    }
    jvp_error = std::max(jvp_error, std::abs(row - jdx.data()[r]));
    vjp_error = std::max(vjp_error, std::abs(column - g.x.data()[r]));
  }
  show("JVP against the dense Jacobian times dx", jvp_error, 1e-12);
  show("VJP against its transpose times dy", vjp_error, 1e-12);
  show("<J dx, dy> against <dx, J^T dy>", std::abs(dot(jdx, dy) - dot(dx, g.x)), 1e-12);
}

/// The same expressions at (4, 128, 768), hidden 3072, float, against the interpreter in double.
template <template <class> class Kernel, class Parameters, class Block>
void compare_with_interpreter(std::string const& name, Block block) {
  residua::reference::problem<double> const exact = residua::reference::random_problem(block.view(), {{"B", 4}, {"T", 128}}, 1);
  Parameters p;
  for_each(p, [&](std::string_view path, auto& tensor) {
    std::ranges::transform(exact.weights.find(path)->second, tensor.data(), [](double w) { return static_cast<float>(w); });
  });
  rt::tensor<float, 3> x = rt::zeros<float>(4, 128, 768);
  std::ranges::transform(exact.inputs[0], x.data(), [](double v) { return static_cast<float>(v); });

  Kernel<float> const kernel(p);
  rt::tensor<float, 3> const y = kernel.forward(x);
  std::vector<double> const expected = residua::reference::output(exact);
  std::cout << name << " at (4, 128, 768), hidden 3072, float, " << rt::name(kernel.instructions()) << "\n";
  show("output, largest deviation from the interpreter", largest_difference(y, expected), 2e-4);
}

}  // namespace

int main(int argc, char** argv) {
  given const data(argc > 1 ? argv[1] : "data");
  compare_with_answers<small::pre_norm::kernel, small::pre_norm::parameters<double>>(
      data, data.pre_norm_y, data.pre_norm_jacobian, "pre_norm", blocks::small::pre_norm, 0.9980670130683148);
  compare_with_answers<small::post_norm::kernel, small::post_norm::parameters<double>>(
      data, data.post_norm_y, data.post_norm_jacobian, "post_norm", blocks::small::post_norm, 0.9340536030481051);
  compare_with_interpreter<large::pre_norm::kernel, large::pre_norm::parameters<float>>("pre_norm", blocks::large::pre_norm);
  compare_with_interpreter<large::post_norm::kernel, large::post_norm::parameters<float>>("post_norm", blocks::large::post_norm);
  std::cout << (all_hold ? "all bounds kept\n" : "a bound was not kept\n");
  return all_hold ? 0 : 1;
}
