// Kernels with attention against the interpreter, and what they promise besides: padding, causality, NaN that stays where
// it may, the same bits on any number of threads, no memory taken, one clear message for a wrong argument.
#define BOOST_TEST_MODULE attention
#include "../rt/messages.hpp"
#include "attention_blocks.hpp"
#include "compare.hpp"

#include <attention/aligned.hpp>
#include <attention/capped.hpp>
#include <attention/conditioned_twice.hpp>
#include <attention/decoder.hpp>
#include <attention/decoders.hpp>
#include <attention/grouped.hpp>
#include <attention/layers.hpp>
#include <attention/local.hpp>
#include <attention/parallel.hpp>
#include <attention/post_norm.hpp>
#include <attention/pre_norm.hpp>
#include <attention/shared.hpp>
#include <attention/unread.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

namespace oracle = residua::oracle;
namespace rt = residua::rt;
using residua::test::message_of;

#if defined(_OPENMP)
#include <omp.h>
#endif

/// How often operator new was called so far; allocations.cpp replaces it.
long allocation_count();

namespace {

/// Without OpenMP there is one thread, whatever is asked for.
void use_threads([[maybe_unused]] int count) {
#if defined(_OPENMP)
  omp_set_num_threads(count);
#endif
}

using shape3 = std::array<std::size_t, 3>;

/// A sample of the columns for streams that are long for the oracle; and in float too a floor for what cancels: the
/// gradient of a key's bias is zero, as a sum of terms that are not.
template <class Real>
oracle::tolerances affordable() {
  oracle::tolerances allowed = oracle::usual<Real>;
  if (allowed.cancelled == 0) allowed.cancelled = 2e-5;
  allowed.most_work = 3'000'000;
  allowed.most_dense = 200'000;
  return allowed;
}

template <class Kernel, class Parameters, class Block, std::size_t Rank>
void check(Block block, Parameters const& p, std::array<std::size_t, Rank> const& shape,
           oracle::call_setting const& setting = {}) {
  using Real = typename oracle::scalar_of<Kernel>::type;
  oracle::check_block<Kernel>(block.view(), p, shape, 5, affordable<Real>(), setting);
}

template <class Tensor>
Tensor noise(typename Tensor::shape_type const& shape, std::uint64_t seed) {
  oracle::noise source(seed);
  auto t = Tensor::from_shape(shape);
  for (auto& each : t) each = static_cast<typename Tensor::value_type>(source.next());
  return t;
}

template <class Parameters>
Parameters noisy(Parameters p = {}) {
  std::uint64_t seed = 11;
  for_each(p, [&](std::string_view path, auto& t) {
    oracle::noise source(++seed);
    for (auto& each : t)
      each = static_cast<std::remove_reference_t<decltype(each)>>(0.3 * source.next() + (path.ends_with("N.weight") ? 1 : 0));
  });
  return p;
}

}  // namespace

// One token; fewer than a register; more than a register; more than a tile in several sequences.
#define CHECK_BLOCK(name, width)                                                                                    \
  BOOST_AUTO_TEST_CASE(name##_equals_the_interpreter) {                                                             \
    for (shape3 shape : {shape3{2, 1, width}, shape3{3, 7, width}, shape3{1, 33, width}, shape3{2, 90, width}})     \
      check<attention::name::kernel<double>>(attention_blocks::name, attention::name::parameters<double>{}, shape); \
  }
CHECK_BLOCK(pre_norm, 12)
CHECK_BLOCK(post_norm, 15)
CHECK_BLOCK(parallel, 12)
CHECK_BLOCK(grouped, 12)
CHECK_BLOCK(capped, 12)
CHECK_BLOCK(local, 12)
CHECK_BLOCK(layers, 12)

BOOST_AUTO_TEST_CASE(two_streams_have_two_jacobians) {
  for (auto [tokens, memory] : {std::pair{1, 1}, std::pair{7, 3}, std::pair{2, 33}, std::pair{90, 5}}) {
    oracle::call_setting const setting{.others = {{"S", memory}}};
    shape3 const shape{2, static_cast<std::size_t>(tokens), 12};
    check<attention::decoder::kernel<double>>(attention_blocks::decoder, attention::decoder::parameters<double>{}, shape,
                                              setting);
    if (tokens < 50)
      check<attention::decoders::kernel<double>>(attention_blocks::decoders, attention::decoders::parameters<double>{}, shape,
                                                 setting);
  }
}

BOOST_AUTO_TEST_CASE(a_condition_is_the_same_at_each_token) {
  for (shape3 shape : {shape3{3, 1, 12}, shape3{2, 7, 12}, shape3{3, 50, 12}, shape3{100, 1, 12}})
    check<attention::conditioned_twice::kernel<double>>(attention_blocks::conditioned_twice,
                                                        attention::conditioned_twice::parameters<double>{}, shape);
  check<attention::conditioned_twice::kernel<float>>(attention_blocks::conditioned_twice,
                                                     attention::conditioned_twice::parameters<float>{}, shape3{2, 7, 12});
}

BOOST_AUTO_TEST_CASE(a_memory_that_is_not_read_has_zero_gradients) {
  check<attention::unread::kernel<double>>(attention_blocks::unread, attention::unread::parameters<double>{}, shape3{2, 3, 12},
                                           {.others = {{"S", 4}}});
}

BOOST_AUTO_TEST_CASE(a_memory_may_have_the_streams_axes) {
  for (std::size_t tokens : {1u, 7u, 20u})
    check<attention::aligned::kernel<double>>(attention_blocks::aligned, attention::aligned::parameters<double>{},
                                              shape3{2, tokens, 12});
  check<attention::aligned::kernel<double>>(attention_blocks::aligned, attention::aligned::parameters<double>{}, shape3{3, 7, 12},
                                            {.lengths = {7, 2, 0}, .memory_lengths = {1, 7, 4}});
}

BOOST_AUTO_TEST_CASE(one_attention_used_twice_shares_its_weights) {
  check<attention::shared::kernel<double>>(attention_blocks::shared, attention::shared::parameters<double>{{.r = 6}},
                                           std::array<std::size_t, 2>{9, 6});
}

BOOST_AUTO_TEST_CASE(padded_keys_are_not_seen) {
  oracle::call_setting const setting{.lengths = {7, 0, 3}};
  check<attention::post_norm::kernel<double>>(attention_blocks::post_norm, attention::post_norm::parameters<double>{},
                                              shape3{3, 7, 15}, setting);
  check<attention::pre_norm::kernel<double>>(attention_blocks::pre_norm, attention::pre_norm::parameters<double>{},
                                             shape3{3, 7, 12}, setting);
  check<attention::local::kernel<double>>(attention_blocks::local, attention::local::parameters<double>{}, shape3{3, 7, 12},
                                          setting);
  check<attention::decoder::kernel<double>>(attention_blocks::decoder, attention::decoder::parameters<double>{}, shape3{3, 7, 12},
                                            {.others = {{"S", 4}}, .lengths = {7, 5, 1}, .memory_lengths = {0, 4, 2}});
}

BOOST_AUTO_TEST_CASE(every_instruction_set_agrees) {
  for (rt::instruction_set set : {rt::instruction_set::baseline, rt::instruction_set::avx2, rt::instruction_set::avx512}) {
    if (!rt::supported(set)) continue;
    rt::force_instruction_set(set);
    BOOST_TEST_CONTEXT("instruction set " << rt::name(set)) {
      for (shape3 shape : {shape3{2, 7, 12}, shape3{1, 40, 12}}) {
        check<attention::grouped::kernel<double>>(attention_blocks::grouped, attention::grouped::parameters<double>{}, shape);
        check<attention::grouped::kernel<float>>(attention_blocks::grouped, attention::grouped::parameters<float>{}, shape);
        oracle::call_setting const setting{.others = {{"S", 9}}};
        check<attention::decoder::kernel<double>>(attention_blocks::decoder, attention::decoder::parameters<double>{}, shape,
                                                  setting);
        check<attention::decoder::kernel<float>>(attention_blocks::decoder, attention::decoder::parameters<float>{}, shape,
                                                 setting);
      }
    }
  }
  rt::force_instruction_set(rt::best());
}

BOOST_AUTO_TEST_CASE(results_are_the_same_bits_on_any_number_of_threads) {
  attention::layers::kernel<double> const k(noisy<attention::layers::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 200, 12}, 1);
  auto const dy = noise<xt::xtensor<double, 3>>({2, 200, 12}, 2);
  use_threads(1);
  auto const y = k.forward(x);
  auto const g = k.vjp(x, dy);
  for (int threads : {2, 3, 5}) {
    use_threads(threads);
    BOOST_TEST((k.forward(x) == y));
    auto const again = k.vjp(x, dy);
    BOOST_TEST((again.x == g.x));
    for_each(again.parameters, [&](std::string_view path, auto const& t) {
      for_each(g.parameters, [&](std::string_view other, auto const& u) {
        if constexpr (std::is_same_v<decltype(t), decltype(u)>)
          if (path == other) BOOST_TEST((t == u), path);
      });
    });
  }
  use_threads(2);
}

BOOST_AUTO_TEST_CASE(a_causal_block_does_not_look_ahead_and_nan_stays_behind) {
  attention::layers::kernel<double> const k(noisy<attention::layers::parameters<double>>());
  auto x = noise<xt::xtensor<double, 3>>({2, 100, 12}, 1);
  auto const y = k.forward(x);
  x(0, 60, 3) = std::numeric_limits<double>::quiet_NaN();
  auto const z = k.forward(x);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t t = 0; t < 100; ++t)
      for (std::size_t c = 0; c < 12; ++c)
        if (b == 1 || t < 60) BOOST_TEST(std::abs(z(b, t, c) - y(b, t, c)) < 1e-12, b << " " << t << " " << c);
        else BOOST_TEST(std::isnan(z(b, t, c)), b << " " << t << " " << c);
}

namespace {
/// Runs x through `step` in chunks of these sizes and compares with the whole.
template <class Kernel, class Cache>
void check_steps(Kernel const& k, Cache cache, xt::xtensor<double, 3> const& x, xt::xtensor<double, 3> const& whole,
                 std::vector<std::size_t> const& chunks) {
  std::size_t first = 0;
  for (std::size_t chunk : chunks) {
    xt::xtensor<double, 3> const part = xt::view(x, xt::all(), xt::range(first, first + chunk), xt::all());
    xt::xtensor<double, 3> const y = k.step(part, cache);
    xt::xtensor<double, 3> const wanted = xt::view(whole, xt::all(), xt::range(first, first + chunk), xt::all());
    BOOST_TEST(xt::amax(xt::abs(y - wanted))() < 1e-12, "tokens " << first << " to " << first + chunk);
    first += chunk;
  }
  BOOST_TEST(static_cast<std::size_t>(cache.position()) == first);
}
}  // namespace

BOOST_AUTO_TEST_CASE(steps_give_what_forward_gives) {
  auto const x = noise<xt::xtensor<double, 3>>({2, 40, 12}, 1);
  auto every = [&](auto const& k) {
    auto const y = k.forward(x);
    check_steps(k, k.make_cache(2, 40), x, y, std::vector<std::size_t>(40, 1));
    check_steps(k, k.make_cache(2, 50), x, y, {1, 7, 20, 1, 1, 10});
    check_steps(k, k.make_cache(2, 40), x, y, {40});
  };
  every(attention::pre_norm::kernel<double>(noisy<attention::pre_norm::parameters<double>>()));
  every(attention::parallel::kernel<double>(noisy<attention::parallel::parameters<double>>()));
  every(attention::grouped::kernel<double>(noisy<attention::grouped::parameters<double>>()));
  every(attention::capped::kernel<double>(noisy<attention::capped::parameters<double>>()));
  every(attention::layers::kernel<double>(noisy<attention::layers::parameters<double>>()));
}

BOOST_AUTO_TEST_CASE(a_decoder_steps_beside_its_memory) {
  attention::decoders::kernel<double> const k(noisy<attention::decoders::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 20, 12}, 1);
  auto const m = noise<xt::xtensor<double, 3>>({2, 6, 10}, 2);
  std::vector<std::ptrdiff_t> const lengths{6, 3};
  check_steps(k, k.make_cache(m, 20), x, k.forward(x, m), {1, 1, 10, 8});
  check_steps(k, k.make_cache(m, 20, {.memory_lengths = lengths}), x, k.forward(x, m, {.memory_lengths = lengths}), {3, 17});
}

BOOST_AUTO_TEST_CASE(a_condition_is_kept_while_tokens_come) {
  attention::conditioned_twice::kernel<double> const k(noisy<attention::conditioned_twice::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 20, 12}, 1);
  auto const m = noise<xt::xtensor<double, 3>>({2, 1, 12}, 2);
  check_steps(k, k.make_cache(m, 20), x, k.forward(x, m), {1, 1, 10, 8});
}

BOOST_AUTO_TEST_CASE(positions_go_on_beside_a_memory) {
  attention::aligned::kernel<double> const k(noisy<attention::aligned::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 20, 12}, 1);
  auto const m = noise<xt::xtensor<double, 3>>({2, 20, 12}, 2);
  std::vector<std::ptrdiff_t> const lengths{20, 3};
  check_steps(k, k.make_cache(m, 20), x, k.forward(x, m), {1, 1, 10, 8});
  check_steps(k, k.make_cache(m, 20), x, k.forward(x, m), std::vector<std::size_t>(20, 1));
  check_steps(k, k.make_cache(m, 20, {.memory_lengths = lengths}), x, k.forward(x, m, {.memory_lengths = lengths}), {3, 17});
  BOOST_TEST(message_of([&] { k.make_cache(m, 20, {.lengths = lengths}); }) ==
             "lengths: a cache has no padding of the stream, only of the memory");
}

BOOST_AUTO_TEST_CASE(streams_without_tokens_are_fine) {
  attention::decoder::kernel<double> const k(noisy<attention::decoder::parameters<double>>());
  for (auto [batch, tokens, memory] : {std::array<std::size_t, 3>{0, 3, 2}, {2, 0, 2}, {2, 3, 0}}) {
    auto const x = noise<xt::xtensor<double, 3>>({batch, tokens, 12}, 1);
    auto const m = noise<xt::xtensor<double, 3>>({batch, memory, 10}, 2);
    auto const y = k.forward(x, m);
    BOOST_TEST((y.shape() == x.shape()));
    BOOST_TEST((k.jvp(x, m, x, m).first == y));
    BOOST_TEST((k.vjp(x, m, y).x.shape() == x.shape()));
    if (batch * tokens > 0) {
      auto cache = k.make_cache(m, 5);
      BOOST_TEST(xt::amax(xt::abs(k.step(x, cache) - y))() < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_cache_belongs_to_its_kernel) {
  attention::pre_norm::kernel<double> const k(noisy<attention::pre_norm::parameters<double>>());
  attention::capped::kernel<double> const other(noisy<attention::capped::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 1, 12}, 1);
  auto cache = other.make_cache(2, 8);
  std::string const wanted = "cache: was not made by this kernel with its current parameters; call make_cache() again";
  BOOST_TEST(message_of([&] { k.step(x, cache); }) == wanted);
  auto mine = k.make_cache(2, 8);
  auto const taken = std::move(mine);
  BOOST_TEST(message_of([&] { k.step(x, mine); }) == wanted);
  BOOST_TEST(taken.capacity() == 8);
  attention::pre_norm::kernel<double> twin(attention::pre_norm::parameters<double>{});
  auto before = twin.make_cache(2, 8);
  BOOST_TEST(message_of([&] { k.step(x, before); }) == wanted);  // the same block, other parameters
  twin.update(noisy<attention::pre_norm::parameters<double>>());
  BOOST_TEST(message_of([&] { twin.step(x, before); }) == wanted);
}

BOOST_AUTO_TEST_CASE(a_full_cache_is_one_error_and_changes_nothing) {
  attention::pre_norm::kernel<double> const k(noisy<attention::pre_norm::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 5, 12}, 1);
  auto const other = noise<xt::xtensor<double, 3>>({3, 1, 12}, 1);
  auto cache = k.make_cache(2, 8);
  k.step(x, cache);
  BOOST_TEST(message_of([&] { k.step(x, cache); }) == "cache: holds 5 of 8 tokens, no room for 5 more");
  BOOST_TEST(cache.position() == 5);
  BOOST_TEST(message_of([&] { k.step(other, cache); }) == "cache: is of 2 sequences, must be of 3 (as in x)");
  BOOST_TEST(message_of([&] { k.make_cache(2, 0); }) == "cache: 2 sequences of 0 tokens; a cache holds one token or more");
  cache.clear();
  BOOST_TEST((k.step(x, cache) == k.forward(x)));
}

BOOST_AUTO_TEST_CASE(a_window_keeps_only_its_window) {
  attention::grouped::kernel<double> const k(noisy<attention::grouped::parameters<double>>());  // sliding_window<5>
  BOOST_TEST(k.make_cache(2, 1000).bytes() == k.make_cache(2, 5).bytes());
  auto const x = noise<xt::xtensor<double, 3>>({2, 60, 12}, 1);
  auto cache = k.make_cache(2, 1000);
  auto const fresh = cache.bytes();
  check_steps(k, k.make_cache(2, 60), x, k.forward(x), {30, 1, 3, 2, 20, 4});  // rings that grow, wrap and shrink
  k.step(x, cache);
  BOOST_TEST(cache.bytes() == fresh);
}

BOOST_AUTO_TEST_CASE(a_step_takes_no_memory) {
  use_threads(1);
  attention::layers::kernel<double> const k(noisy<attention::layers::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 1, 12}, 1);
  xt::xtensor<double, 3> y = x;
  auto cache = k.make_cache(2, 30);
  auto scratch = k.make_workspace(2, 1);
  long const before = allocation_count();
  for (int t = 0; t < 30; ++t) k.step(x, y, cache, scratch);
  BOOST_TEST(allocation_count() == before);
  use_threads(2);
}

BOOST_AUTO_TEST_CASE(a_workspace_takes_no_memory_later) {
  use_threads(1);
  attention::decoder::kernel<double> const k(noisy<attention::decoder::parameters<double>>());
  auto const x = noise<xt::xtensor<double, 3>>({2, 9, 12}, 1), dx = noise<xt::xtensor<double, 3>>({2, 9, 12}, 2);
  auto const m = noise<xt::xtensor<double, 3>>({2, 4, 10}, 3), dm = noise<xt::xtensor<double, 3>>({2, 4, 10}, 4);
  auto g = k.vjp(x, m, dx);
  xt::xtensor<double, 3> y = x, dy = x;
  auto scratch = k.make_workspace(2, 9, 4);
  long const before = allocation_count();
  k.forward(x, m, y, scratch);
  k.jvp(x, m, dx, dm, y, dy, scratch);
  k.vjp(x, m, dx, g, scratch);
  BOOST_TEST(allocation_count() == before);
  auto small = k.make_workspace(1, 2, 2);
  BOOST_TEST(message_of([&] { k.forward(x, m, y, small); }).find("make it for extents as large as the stream's") !=
             std::string::npos);
  use_threads(2);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_named) {
  attention::decoder::kernel<double> const k(attention::decoder::parameters<double>{});
  auto const x = noise<xt::xtensor<double, 3>>({2, 9, 12}, 1);
  auto const m = noise<xt::xtensor<double, 3>>({2, 4, 10}, 3);
  auto const other_batch = noise<xt::xtensor<double, 3>>({3, 4, 10}, 3);
  auto const wide = noise<xt::xtensor<double, 3>>({2, 4, 12}, 3);
  std::vector<std::ptrdiff_t> const one{3}, long_ones{3, 10}, long_memory{5, 1};
  BOOST_TEST(message_of([&] { k.forward(x, other_batch); }) == "memory: axis B is 3, must be 2 (as in x)");
  BOOST_TEST(message_of([&] { k.forward(x, wide); }) == "memory: axis e is 12, must be 10");
  BOOST_TEST(message_of([&] { k.forward(x, m, {.lengths = one}); }) ==
             "lengths: has 1 elements, must have 2, one for each sequence");
  BOOST_TEST(message_of([&] { k.forward(x, m, {.lengths = long_ones}); }) == "lengths: element 1 is 10, must be 0 to 9");
  BOOST_TEST(message_of([&] { k.forward(x, m, {.memory_lengths = long_memory}); }) ==
             "memory_lengths: element 0 is 5, must be 0 to 4");
  BOOST_TEST(message_of([&] { k.jvp(x, m, x, x); }) == "dmemory: axis S is 9, must be 4 (as in memory)");
  attention::pre_norm::kernel<double> const one_stream(attention::pre_norm::parameters<double>{});
  BOOST_TEST(message_of([&] { one_stream.forward(x, {.memory_lengths = one}); }) == "memory_lengths: this block reads no memory");
}
