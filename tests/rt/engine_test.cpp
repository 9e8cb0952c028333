// The engine on handwritten blocks: packing, layers, rounds of sums, workspaces, and what kernels say of wrong arguments.
#define BOOST_TEST_MODULE rt_engine
#include "handwritten/layered.hpp"
#include "handwritten/reader.hpp"
#include "messages.hpp"

#include <boost/test/unit_test.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xview.hpp>

#include <functional>
#include <thread>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::test {

using rt::index;
using stream = rt::tensor<double, 3>;
using layered_parameters = handwritten::layered::parameters<double>;
using layered_kernel = handwritten::layered::kernel<double>;
using reader_parameters = handwritten::reader::parameters<double>;
using reader_kernel = handwritten::reader::kernel<double>;

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

reader_kernel reader_with(reader_parameters p = {}) {
  double seed = 0;
  for_each(p, [&](std::string_view, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = 0.6 * std::cos(seed += 0.7);
  });
  return reader_kernel(p);
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

BOOST_AUTO_TEST_CASE(one_kernel_serves_several_threads) {
  layered_kernel const k(layers_of(5));
  reader_kernel const r = reader_with();
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

BOOST_AUTO_TEST_CASE(run_time_widths_are_checked) {
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 0, .n = 0})); }) == "extents: d is 0, must be 1 or more");
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 4, .n = 3})); }) ==
             "extents: n is 3, must be 4: it is d, renamed");
  layered_parameters p = layers_of(4);
  p.h[1].weight = rt::zeros<double>(4, 5);
  BOOST_TEST(message_of([&] { layered_kernel k(p); }) == "h.1.weight: axis n is 5, must be 4");
}

// ------------------------------------------------------------------------------------------------ two streams, caches

stream tokens_of(stream const& x, std::size_t first, std::size_t count) {
  return xt::view(x, xt::all(), xt::range(first, first + count), xt::all());
}

BOOST_AUTO_TEST_CASE(two_streams_are_read_and_derived) {
  reader_kernel const k = reader_with();
  for (auto [tokens, memory] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {90, 2}, {2, 90}}) {
    stream const x = noise({2, tokens, 4}, 1), m = noise({2, memory, 3}, 2);
    stream const dx = noise({2, tokens, 4}, 3), dm = noise({2, memory, 3}, 4), dy = noise({2, tokens, 4}, 5);
    double const h = 1e-6;
    stream const plus = k.forward(stream(x + h * dx), stream(m + h * dm)), minus = k.forward(stream(x - h * dx), stream(m - h * dm));
    auto const [y, jdx] = k.jvp(x, m, dx, dm);
    BOOST_TEST((y == k.forward(x, m)));
    BOOST_TEST(largest_difference(jdx, (plus - minus) / (2 * h)) < 1e-8);
    auto const g = k.vjp(x, m, dy);
    double const forwards = xt::sum(dy * jdx)(), backwards = xt::sum(g.x * dx)() + xt::sum(g.memory * dm)();
    BOOST_TEST(std::abs(forwards - backwards) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(parameter_gradients_of_two_streams) {
  reader_parameters p, q;
  reader_kernel k = reader_with();
  double seed = 0;
  for_each(p, [&](std::string_view, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = 0.6 * std::cos(seed += 0.7);
  });
  stream const x = noise({2, 6, 4}, 1), m = noise({2, 5, 3}, 2), dy = noise({2, 6, 4}, 3);
  auto const g = k.vjp(x, m, dy);
  auto const loss = [&] { return xt::sum(dy * reader_kernel(p).forward(x, m))(); };
  double const h = 1e-6;
  for (auto [t, of] : {std::pair(&p.queries, &g.parameters.queries), std::pair(&p.kv, &g.parameters.kv), std::pair(&p.memory, &g.parameters.memory)})
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
  reader_kernel const k = reader_with();
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
  reader_kernel const k = reader_with();
  stream const x = noise({2, 30, 4}, 1), m = noise({2, 5, 3}, 2);
  std::vector<index> const lengths{2, 5};
  for (bool padded : {false, true})
    for (std::vector<std::size_t> const& chunks : {std::vector<std::size_t>(30, 1), {1, 7, 20, 1, 1}, {30}, {2, 2, 13, 1, 1, 1, 9, 1}}) {
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
  reader_kernel const k = reader_with();
  stream const x = noise({2, 6, 4}, 1), m = noise({2, 5, 3}, 2);
  std::vector<index> const lengths{6, 4}, memory_lengths{3, 5};
  stream const y = k.forward(x, m, {.lengths = lengths, .memory_lengths = memory_lengths});
  BOOST_TEST(largest_difference(tokens_of(y, 0, 4), k.forward(tokens_of(x, 0, 4), m, {.memory_lengths = memory_lengths})) < 1e-15);
  stream const short_memory = k.forward(x, tokens_of(m, 0, 3));
  for (std::size_t i = 0; i < 24; ++i) BOOST_TEST(y.data()[i] == short_memory.data()[i]);
}

// ------------------------------------------------------------------------------------------------ messages

BOOST_AUTO_TEST_CASE(wrong_arguments_have_one_clear_message) {
  layered_parameters const p = layers_of(4);
  layered_kernel const k(p);
  stream const x = rt::zeros<double>(2, 3, 4);
  auto scratch = k.make_workspace(2, 3);
  auto const says = [](auto const& action, std::string const& expected) { BOOST_TEST(message_of(action) == expected); };
  says([&] { k.forward(rt::zeros<double>(2, 3, 5)); }, "x: axis d is 5, must be 4");
  says([&] { k.forward(rt::zeros<double>(3, 4)); }, "x: rank is 2 (3, 4), must be 3 (B, T, d)");
  says([&] { k.jvp(x, rt::zeros<double>(2, 2, 4)); }, "dx: axis T is 2, must be 3 (as in x)");
  says([&] { k.vjp(x, rt::zeros<double>(1, 3, 4)); }, "dy: axis B is 1, must be 2 (as in x)");
  says([&] { k.vjp(rt::zeros<double>(2, 0, 4), x); }, "dy: axis T is 3, must be 0 (as in x)");
  says([&] { k.jacobian(rt::zeros<double>(3, 4)); }, "x: rank is 2 (3, 4), must be 3 (B, T, d)");
  std::vector<index> const one{1};
  says([&] { k.forward(x, {.lengths = one}); }, "lengths: this block has no attention that could use them");
  says([&] { k.forward(x, {.memory_lengths = one}); }, "memory_lengths: this block reads no memory");
  says([&] { auto y = x; k.forward(y, y, scratch); }, "y: overlaps another argument");
  says([&] { auto y = x; k.jvp(x, x, y, y, scratch); }, "dy: overlaps another argument");
  says([&] { auto y = rt::zeros<double>(2, 5, 4); k.forward(x, y, scratch); }, "y: axis T is 5, must be 3 (as in x)");
  says([&] { auto g = k.vjp(x, x); k.vjp(x, g.x, g, scratch); }, "g.x: overlaps another argument");
  says(
      [&] {
        auto g = k.vjp(x, x);
        auto const inside = xt::adapt(g.parameters.h[1].weight.data(), 16, xt::no_ownership(), std::array<std::size_t, 3>{2, 2, 4});
        stream const two = rt::zeros<double>(2, 2, 4);
        g.x = two;
        k.vjp(two, inside, g, scratch);
      },
      "g.parameters.h.1.weight: overlaps another argument");
  says([&] { auto g = k.vjp(x, x); g.parameters.h[1].bias = rt::zeros<double>(3); k.vjp(x, x, g, scratch); },
       "h.1.bias: axis n is 3, must be 4");
  says([&] { auto const columns = xt::xtensor<double, 3, xt::layout_type::column_major>(std::array<std::size_t, 3>{2, 3, 4}); k.forward(columns); },
       "x: not row-major and contiguous: axis d has stride 6, must have 1; assign it to an xt::xtensor first");
  says([&] { rt::workspace none; auto y = x; k.forward(x, y, none); },
       "workspace: holds 0 bytes per thread, needs " + std::to_string(84 * 64 + 64) + "; make it with this kernel's make_workspace");
  std::string const small = message_of([&] { auto y = rt::zeros<double>(2, 300, 4); k.forward(noise({2, 300, 4}, 1), y, scratch); });
  BOOST_TEST(small.starts_with("workspace: holds "));
  BOOST_TEST(small.ends_with("; make it for extents as large as the stream's"));
}

BOOST_AUTO_TEST_CASE(wrong_arguments_of_two_streams) {
  reader_kernel const k = reader_with();
  stream const x = rt::zeros<double>(2, 3, 4), m = rt::zeros<double>(2, 5, 3);
  auto const says = [](auto const& action, std::string const& expected) { BOOST_TEST(message_of(action) == expected); };
  std::vector<index> const one{3}, long_ones{3, 4}, long_memory{6, 1}, fine{3, 3};
  says([&] { k.forward(x, rt::zeros<double>(3, 5, 3)); }, "memory: axis B is 3, must be 2 (as in x)");
  says([&] { k.forward(x, x); }, "memory: axis e is 4, must be 3");
  says([&] { k.jvp(x, m, x, rt::zeros<double>(2, 4, 3)); }, "dmemory: axis S is 4, must be 5 (as in memory)");
  says([&] { k.forward(x, m, {.lengths = one}); }, "lengths: has 1 elements, must have 2, one for each sequence");
  says([&] { k.forward(x, m, {.lengths = long_ones}); }, "lengths: element 1 is 4, must be 0 to 3");
  says([&] { k.forward(x, m, {.memory_lengths = long_memory}); }, "memory_lengths: element 0 is 6, must be 0 to 5");
  says([&] { k.make_cache(m, 4, {.lengths = fine}); }, "lengths: a cache has no padding of the stream, only of the memory");
  says([&] { k.make_cache(m, 0); }, "cache: 2 sequences of 0 tokens; a cache holds one token or more");
  auto cache = k.make_cache(m, 4);
  says([&] { k.step(rt::zeros<double>(3, 1, 4), cache); }, "cache: is of 2 sequences, must be of 3 (as in x)");
  std::string const stale = "cache: was not made by this kernel with its current parameters; call make_cache() again";
  reader_kernel twin = reader_with();
  says([&] { twin.step(x, cache); }, stale);
  auto own = twin.make_cache(m, 4);
  twin.update(reader_parameters());
  says([&] { twin.step(x, own); }, stale);
  auto const taken = std::move(cache);
  says([&] { k.step(x, cache); }, stale);
  BOOST_TEST(taken.capacity() == 4);
  std::string const small = message_of([&] { auto y = x; auto scratch = k.make_workspace(1, 1, 1); k.forward(x, m, y, scratch); });
  BOOST_TEST(small.ends_with("; make it for extents as large as the stream's"));
}

BOOST_AUTO_TEST_CASE(what_was_moved_from_or_is_null_is_told) {
  auto const says = [](auto const& action, std::string const& expected) { BOOST_TEST(message_of(action) == expected); };
  std::string const null = ": has a shape but no memory; it was moved from, or adapts a null pointer";
  layered_parameters p = layers_of(4);
  layered_kernel k(p);
  stream x = rt::zeros<double>(2, 3, 4);
  stream const y = x;
  stream const taken = std::move(x);
  says([&] { k.forward(x); }, "x" + null);
  says([&] { k.jvp(y, x); }, "dx" + null);
  says([&] { k.vjp(y, x); }, "dy" + null);
  says([&] { k.forward(xt::adapt(static_cast<double*>(nullptr), 24, xt::no_ownership(), std::array<std::size_t, 3>{2, 3, 4})); }, "x" + null);
  auto scratch = k.make_workspace(2, 3);
  auto g = k.vjp(y, y);
  auto const parameters_taken = std::move(g.parameters.h[2].weight);
  says([&] { k.vjp(y, y, g, scratch); }, "h.2.weight" + null);
  auto const gx_taken = std::move(g.x);
  says([&] { k.vjp(y, y, g, scratch); }, "g.x" + null);
  auto const weight_taken = std::move(p.h[1].weight);
  says([&] { layered_kernel fresh(p); }, "h.1.weight" + null);
  stream const before = k.forward(y);
  says([&] { k.update(p); }, "h.1.weight" + null);
  BOOST_TEST((k.forward(y) == before));
  auto const scratch_taken = std::move(scratch);
  says([&] { auto z = y; k.forward(y, z, scratch); }, message_of([&] { rt::workspace none; auto z = y; k.forward(y, z, none); }));
  layered_kernel const kernel_taken = std::move(k);
  for (auto const& call : {std::function<void()>([&] { k.forward(y); }), std::function<void()>([&] { k.instructions(); }),
                           std::function<void()>([&] { k.make_workspace(1, 1); }), std::function<void()>([&] { k.update(layers_of(4)); })})
    says(call, "kernel: was moved from");
  BOOST_TEST((kernel_taken.forward(y) == before));
}

BOOST_AUTO_TEST_CASE(extents_beyond_memory_are_told) {
  auto const says = [](auto const& action, std::string const& expected) { BOOST_TEST(message_of(action) == expected); };
  layered_kernel const k(layers_of(4));
  reader_kernel const r = reader_with();
  index const huge = index(1) << 40, half = index(1) << 62;
  stream const m = rt::zeros<double>(2, 5, 3);
  says([&] { k.make_workspace(huge, huge); }, "make_workspace: the extents are more than memory can hold");
  says([&] { k.make_workspace(index(1) << 60, 1); }, "extents: the call needs more bytes than memory can hold");
  says([&] { k.make_workspace(-1, 4); }, "make_workspace: axis B is -1, must be 0 or more");
  says([&] { k.make_workspace(4, -1); }, "make_workspace: axis T is -1, must be 0 or more");
  says([&] { r.make_workspace(4, 1, -1); }, "make_workspace: axis S is -1, must be 0 or more");
  says([&] { r.make_workspace(4, 1); }, "make_workspace: has 2 extents, must have 3");
  BOOST_TEST(r.make_cache(m, half).bytes() == r.make_cache(m, 3).bytes());  // windows of 3 tokens
  rt::token_space const spaces[]{{}, {half}};
  says([&] { rt::token_cache<double>({}, handwritten::reader::description<double>(), 4, 8, spaces); },
       "cache: 4 sequences of 8 tokens are more than memory can hold");
  says([&] { layered_parameters p({.d = half, .n = half}); }, "extents: a tensor of (4611686018427387904, 4611686018427387904) has too many elements");
  says([&] { layered_parameters p({.d = -1, .n = 1}); }, "extents: a tensor of (-1, 1) has less than no elements");
}

}  // namespace residua::test
