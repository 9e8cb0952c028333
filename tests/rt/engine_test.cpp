// The engine on handwritten blocks: packing, layers, rounds of sums, workspaces, and what kernels say of wrong arguments.
#define BOOST_TEST_MODULE rt_engine
#include "handwritten/layered.hpp"
#include "messages.hpp"

#include <boost/test/unit_test.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::test {

using rt::index;
using stream = rt::tensor<double, 3>;
using layered_parameters = handwritten::layered::parameters<double>;
using layered_kernel = handwritten::layered::kernel<double>;

stream noise(std::array<std::size_t, 3> shape, double seed) {
  stream x(shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(seed + 1.3 * static_cast<double>(i));
  return x;
}

layered_parameters layers_of(index d) {
  layered_parameters p({.d = d, .n = d});
  double seed = 0;
  for_each(p, [&](std::string_view, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = 0.3 * std::cos(seed += 0.7);
  });
  return p;
}

/// y = layered(x), row by row.
stream expected(layered_parameters const& p, stream x) {
  std::size_t const d = x.shape()[2];
  for (auto const& layer : p.h)
    for (std::size_t row = 0; row < x.size() / d; ++row) {
      double* const h = x.data() + row * d;
      std::vector<double> const before(h, h + d);
      for (std::size_t j = 0; j < d; ++j) {
        double z = 0;
        for (std::size_t i = 0; i < d; ++i) z += before[i] * layer.weight(i, j);
        h[j] = before[j] + layer.alpha() * std::tanh(z + layer.bias(j));
      }
    }
  return x;
}

double largest_difference(stream const& a, stream const& b) {
  double most = a.shape() == b.shape() ? 0 : 1e9;
  for (std::size_t i = 0; i < a.size() && most < 1e9; ++i) most = std::max(most, std::abs(a.data()[i] - b.data()[i]));
  return most;
}

BOOST_AUTO_TEST_CASE(layers_run_in_turns) {
  layered_parameters const p = layers_of(5);
  layered_kernel const k(p);
  for (std::size_t tokens : {0u, 1u, 84u, 85u, 300u}) {
    stream const x = noise({2, tokens, 5}, 1);
    BOOST_TEST(largest_difference(k.forward(x), expected(p, x)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(derivatives_are_those_of_the_layers) {
  layered_parameters p = layers_of(5);
  layered_kernel k(p);
  stream const x = noise({2, 100, 5}, 1), dx = noise({2, 100, 5}, 2), dy = noise({2, 100, 5}, 3);
  auto const inner = [](stream const& a, stream const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
    return sum;
  };
  double const h = 1e-6;
  auto const moved = [&](stream const& by, double step) {
    stream z = x;
    for (std::size_t i = 0; i < z.size(); ++i) z.data()[i] += step * by.data()[i];
    return z;
  };
  auto const [y, jdx] = k.jvp(x, dx);
  BOOST_TEST((y == k.forward(x)));
  stream const plus = expected(p, moved(dx, h)), minus = expected(p, moved(dx, -h));
  stream numerical = plus;
  for (std::size_t i = 0; i < plus.size(); ++i) numerical.data()[i] = (plus.data()[i] - minus.data()[i]) / (2 * h);
  BOOST_TEST(largest_difference(jdx, numerical) < 1e-8);

  auto const g = k.vjp(x, dy);
  BOOST_TEST(std::abs(inner(g.x, dx) - inner(dy, jdx)) < 1e-10);
  // Every parameter, by differences of <dy, y>.
  std::vector<std::vector<double>> gradients;
  for_each(g.parameters, [&](std::string_view, auto const& t) { gradients.emplace_back(t.data(), t.data() + t.size()); });
  std::size_t at = 0;
  for_each(p, [&](std::string_view path, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) {
      double const kept = t.data()[i];
      t.data()[i] = kept + h;
      double const more = inner(dy, expected(p, x));
      t.data()[i] = kept - h;
      double const less = inner(dy, expected(p, x));
      t.data()[i] = kept;
      BOOST_TEST(std::abs(gradients[at][i] - (more - less) / (2 * h)) < 1e-6, path << " " << i);
    }
    ++at;
  });

  k.update(p = layers_of(5));
  BOOST_TEST((k.vjp(x, dy).x == g.x));
  for_each(p, [](std::string_view, auto& t) { t *= 1.5; });
  k.update(p);
  BOOST_TEST((k.vjp(x, dy).x == layered_kernel(p).vjp(x, dy).x));
}

BOOST_AUTO_TEST_CASE(the_jacobian_is_that_of_jvp) {
  layered_kernel const k(layers_of(3));
  stream const x = noise({2, 2, 3}, 1);
  rt::tensor<double, 2> const j = k.jacobian(x);
  BOOST_TEST((j.shape()[0] == 12 && j.shape()[1] == 12));
  double trace = 0;
  for (std::size_t column = 0; column < 12; ++column) {
    stream dx = rt::zeros<double>(2, 2, 3);
    dx.data()[column] = 1;
    stream const dy = k.jvp(x, dx).second;
    for (std::size_t row = 0; row < 12; ++row) BOOST_TEST(j(row, column) == dy.data()[row]);
    trace += j(column, column);
  }
  BOOST_TEST(std::abs(k.jacobian_trace(x) - trace) < 1e-12);
}

#if defined(_OPENMP)
BOOST_AUTO_TEST_CASE(results_have_the_same_bits_on_any_number_of_threads) {
  layered_kernel const k(layers_of(7));
  stream const x = noise({3, 200, 7}, 1), dy = noise({3, 200, 7}, 2);
  int const usual = omp_get_max_threads();
  omp_set_num_threads(1);
  stream const y = k.forward(x);
  auto const g = k.vjp(x, dy);
  auto scratch = k.make_workspace(3, 200);
  for (int threads : {2, 3, 5}) {
    omp_set_num_threads(threads);
    BOOST_TEST((k.forward(x) == y));
    auto other = k.vjp(x, dy);
    BOOST_TEST((other.x == g.x));
    for (std::size_t layer = 0; layer < 3; ++layer) {
      BOOST_TEST((other.parameters.h[layer].weight == g.parameters.h[layer].weight));
      BOOST_TEST((other.parameters.h[layer].bias == g.parameters.h[layer].bias));
      BOOST_TEST((other.parameters.h[layer].alpha == g.parameters.h[layer].alpha));
    }
    k.vjp(x, dy, other, scratch);
    BOOST_TEST((other.parameters.h[1].weight == g.parameters.h[1].weight));
  }
  omp_set_num_threads(usual);
}
#endif

BOOST_AUTO_TEST_CASE(run_time_widths_are_checked) {
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 0, .n = 0})); }) == "extents: d is 0, must be 1 or more");
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 4, .n = 3})); }) ==
             "extents: n is 3, must be 4: it is d, renamed");
  layered_parameters p = layers_of(4);
  p.h[1].weight = rt::zeros<double>(4, 5);
  BOOST_TEST(message_of([&] { layered_kernel k(p); }) == "h.1.weight: axis n is 5, must be 4");
}

}  // namespace residua::test
