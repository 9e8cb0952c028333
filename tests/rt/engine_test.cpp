// The engine on handwritten blocks: packing, layers, rounds of sums, workspaces, two streams, caches, threads.
#define BOOST_TEST_MODULE rt_engine
#include "handwritten/made.hpp"
#include "messages.hpp"

#include <boost/test/unit_test.hpp>
#include <xtensor/xview.hpp>

#include <thread>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::test {

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

BOOST_AUTO_TEST_CASE(one_kernel_serves_several_threads) {
  layered_kernel const k(layers_of(5));
  reader_kernel const r(reader_weights());
  stream const x = noise({2, 100, 5}, 1), dy = noise({2, 100, 5}, 2), z = noise({2, 9, 4}, 3), m = noise({2, 5, 3}, 4);
  std::vector<stream> results(12);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      results[3 * i] = k.vjp(x, dy).x;  // the first packs the transposed weights
      results[3 * i + 1] = k.forward(x);
      auto cache = r.make_cache(m, 9);
      results[3 * i + 2] = r.step(z, cache);
    });
  for (std::thread& each : threads) each.join();
  for (std::size_t i = 3; i < 12; ++i) BOOST_TEST((results[i] == results[i % 3]));
  BOOST_TEST((results[2] == r.forward(z, m)));
}

// ------------------------------------------------------------------------------------------------ two streams, caches

BOOST_AUTO_TEST_CASE(two_streams_are_read_and_derived) {
  reader_kernel const k(reader_weights());
  for (auto [tokens, memory] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {90, 2}, {2, 90}}) {
    stream const x = noise({2, tokens, 4}, 1), m = noise({2, memory, 3}, 2);
    stream const dx = noise({2, tokens, 4}, 3), dm = noise({2, memory, 3}, 4), dy = noise({2, tokens, 4}, 5);
    double const h = 1e-6;
    stream const plus = k.forward(stream(x + h * dx), stream(m + h * dm)),
                 minus = k.forward(stream(x - h * dx), stream(m - h * dm));
    auto const [y, jdx] = k.jvp(x, m, dx, dm);
    BOOST_TEST((y == k.forward(x, m)));
    BOOST_TEST(largest_difference(jdx, (plus - minus) / (2 * h)) < 1e-8);
    auto const g = k.vjp(x, m, dy);
    double const forwards = xt::sum(dy * jdx)(), backwards = xt::sum(g.x * dx)() + xt::sum(g.memory * dm)();
    BOOST_TEST(std::abs(forwards - backwards) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(parameter_gradients_of_two_streams) {
  reader_parameters p = reader_weights();
  reader_kernel const k(p);
  stream const x = noise({2, 6, 4}, 1), m = noise({2, 5, 3}, 2), dy = noise({2, 6, 4}, 3);
  auto const g = k.vjp(x, m, dy);
  auto const loss = [&] { return xt::sum(dy * reader_kernel(p).forward(x, m))(); };
  double const h = 1e-6;
  for (auto [t, of] : {std::pair(&p.queries, &g.parameters.queries), std::pair(&p.kv, &g.parameters.kv),
                       std::pair(&p.memory, &g.parameters.memory)})
    for (std::size_t i = 0; i < t->size(); ++i) {
      double const kept = t->data()[i];
      t->data()[i] = kept + h;
      double const more = loss();
      t->data()[i] = kept - h;
      double const less = loss();
      t->data()[i] = kept;
      BOOST_TEST(std::abs(of->data()[i] - (more - less) / (2 * h)) < 1e-7, i);
    }
}

BOOST_AUTO_TEST_CASE(two_jacobians) {
  reader_kernel const k(reader_weights());
  stream const x = noise({2, 3, 4}, 1), m = noise({2, 2, 3}, 2);
  auto const j = k.jacobian(x, m);
  BOOST_TEST((j.x.shape()[0] == 24 && j.x.shape()[1] == 24 && j.memory.shape()[0] == 24 && j.memory.shape()[1] == 12));
  for (std::size_t column = 0; column < 36; ++column) {
    stream dx = rt::zeros<double>(2, 3, 4), dm = rt::zeros<double>(2, 2, 3);
    (column < 24 ? dx.data()[column] : dm.data()[column - 24]) = 1;
    stream const dy = k.jvp(x, m, dx, dm).second;
    for (std::size_t row = 0; row < 24; ++row)
      BOOST_TEST((column < 24 ? j.x(row, column) : j.memory(row, column - 24)) == dy.data()[row]);
  }
}

BOOST_AUTO_TEST_CASE(steps_give_what_forward_gives) {
  reader_kernel const k(reader_weights());
  stream const x = noise({2, 30, 4}, 1), m = noise({2, 5, 3}, 2);
  std::vector<index> const lengths{2, 5};
  for (bool padded : {false, true})
    for (std::vector<std::size_t> const& chunks :
         {std::vector<std::size_t>(30, 1), {1, 7, 20, 1, 1}, {30}, {2, 2, 13, 1, 1, 1, 9, 1}}) {
      rt::padding const given{.memory_lengths = padded ? std::span<index const>(lengths) : std::span<index const>()};
      stream const whole = k.forward(x, m, given);
      auto cache = k.make_cache(m, 30, given);
      auto scratch = k.make_workspace(2, 30, 5);
      std::size_t first = 0;
      for (std::size_t chunk : chunks) {
        stream const part = tokens_of(x, first, chunk);
        stream y = part;
        if (first % 2 == 0) y = k.step(part, cache);
        else k.step(part, y, cache, scratch);
        BOOST_TEST(largest_difference(y, tokens_of(whole, first, chunk)) < 1e-14);
        first += chunk;
      }
      BOOST_TEST(cache.position() == 30);
      BOOST_TEST(message_of([&] { k.step(tokens_of(x, 0, 1), cache); }) == "cache: holds 30 of 30 tokens, no room for 1 more");
      cache.clear();
      BOOST_TEST(largest_difference(k.step(x, cache), whole) < 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(padded_tokens_are_not_seen) {
  reader_kernel const k(reader_weights());
  stream const x = noise({2, 6, 4}, 1), m = noise({2, 5, 3}, 2);
  std::vector<index> const lengths{6, 4}, memory_lengths{3, 5};
  stream const y = k.forward(x, m, {.lengths = lengths, .memory_lengths = memory_lengths});
  BOOST_TEST(largest_difference(tokens_of(y, 0, 4), k.forward(tokens_of(x, 0, 4), m, {.memory_lengths = memory_lengths})) <
             1e-15);
  stream const short_memory = k.forward(x, tokens_of(m, 0, 3));
  for (std::size_t i = 0; i < 24; ++i) BOOST_TEST(y.data()[i] == short_memory.data()[i]);
}

}  // namespace residua::test
