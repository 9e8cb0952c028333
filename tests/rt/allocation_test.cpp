// Memory that is lacking: after each allocation that fails, kernels, caches, parameters and folders are as they were.
#define BOOST_TEST_MODULE rt_allocation
#include "failing_allocations.hpp"
#include "handwritten/made.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <new>

#include <unistd.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::test {
thread_local long allocations_until_failure = 0;
thread_local std::size_t bytes_taken = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) throw std::bad_alloc();
  bytes_taken += bytes;
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace residua::test

void* operator new(std::size_t bytes) { return residua::test::allocate(bytes, 16); }
void* operator new[](std::size_t bytes) { return residua::test::allocate(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return residua::test::allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace residua::test {

namespace fs = std::filesystem;
bool close(stream const& a, stream const& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a.data()[i] - b.data()[i]) < 1e-13)) return false;
  return a.shape() == b.shape();
}

/// Windows of 3 tokens: a chunk of 25 widens both rings, and they shrink after it.
BOOST_AUTO_TEST_CASE(a_step_that_fails_changes_no_cache) {
  reader_kernel const k(reader_weights());
  stream const x = noise({2, 40, 4}, 1), m = noise({2, 5, 3}, 2), whole = k.forward(x, m);
  for (std::size_t chunk : {1u, 4u, 25u}) {
    bool through = false;
    for (long failing = 1; !through; ++failing) {
      auto cache = k.make_cache(m, 40);
      BOOST_TEST(close(k.step(tokens_of(x, 0, 5), cache), tokens_of(whole, 0, 5)));
      auto const fresh = cache.bytes();
      stream const part = tokens_of(x, 5, chunk);
      stream y = part;
      bool failed = false;
      allocations_until_failure = failing;
      try {
        y = k.step(part, cache);
      } catch (std::bad_alloc const&) {
        failed = true;
      }
      through = allocations_until_failure > 0;
      allocations_until_failure = 0;
      if (failed) {
        BOOST_TEST(cache.position() == 5);
        BOOST_TEST(cache.bytes() == fresh);
        y = k.step(part, cache);
      }
      BOOST_TEST(close(y, tokens_of(whole, 5, chunk)), "chunk of " << chunk << ", allocation " << failing);
      for (std::size_t t = 5 + chunk; t < 40; ++t)
        BOOST_TEST(close(k.step(tokens_of(x, t, 1), cache), tokens_of(whole, t, 1)), "token " << t << ", allocation " << failing);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_update_or_gradient_that_fails_changes_no_kernel) {
  layered_parameters const before = filled(layered_parameters({.d = 5, .n = 5}), 0.3),
                           after = filled(layered_parameters({.d = 5, .n = 5}), 0.5);
  stream const x = noise({2, 7, 5}, 1), dy = noise({2, 7, 5}, 2);
  layered_kernel k(before), other(after);
  stream const y = k.forward(x), gx = k.vjp(x, dy).x;
  long const failures = fail_each_allocation([&] { k.update(after); },
                                             [&](bool failed) {
                                               layered_kernel const& now = failed ? k : other;
                                               BOOST_TEST((k.forward(x) == now.forward(x)));
                                               BOOST_TEST((k.forward(x) == y) == failed);
                                               BOOST_TEST((k.vjp(x, dy).x == now.vjp(x, dy).x));
                                               if (!failed) k.update(before);
                                             });
  BOOST_TEST(failures > 0);
  fail_each_allocation([&] { layered_kernel{before}; }, [](bool) {});
  for (bool done = false; !done;) {
    layered_kernel const fresh(before);
    done = fail_each_allocation([&] { fresh.vjp(x, dy); }, [&](bool) { BOOST_TEST((fresh.forward(x) == y)); }) > 0;
    BOOST_TEST((fresh.vjp(x, dy).x == gx));
  }
}

#if defined(_OPENMP)
/// One tile is one piece of scratch, however many threads there are.
BOOST_AUTO_TEST_CASE(a_call_takes_memory_for_the_threads_that_it_uses) {
  layered_kernel const k(layers_of(5));
  int const usual = omp_get_max_threads();
  auto const taken = [&](stream const& x, int threads) {
    omp_set_num_threads(threads);
    std::size_t const before = bytes_taken;
    k.forward(x);
    return bytes_taken - before;
  };
  stream const one = noise({1, 1, 5}, 1), many = noise({1, 4 * 84, 5}, 1);
  BOOST_TEST(taken(one, 64) == taken(one, 1));
  BOOST_TEST(taken(many, 64) == taken(many, 4));
  BOOST_TEST(taken(many, 4) > taken(many, 1));
  omp_set_num_threads(usual);
}
#endif

BOOST_AUTO_TEST_CASE(parameters_that_cannot_be_loaded_or_saved_stay) {
  fs::path const folder = fs::temp_directory_path() / ("residua_allocation_test_" + std::to_string(::getpid()));
  layered_parameters const one = filled(layered_parameters({.d = 5, .n = 5}), 1),
                           two = filled(layered_parameters({.d = 5, .n = 5}), 2);
  auto const is = [](layered_parameters const& p, layered_parameters const& q) {
    bool same = true;
    for (std::size_t i = 0; i < 3; ++i)
      same = same && p.h[i].weight == q.h[i].weight && p.h[i].bias == q.h[i].bias && p.h[i].alpha == q.h[i].alpha;
    return same;
  };
  auto const files = [&] {
    std::size_t count = 0;
    for (auto const& entry : fs::directory_iterator(folder.parent_path()))
      count += entry.path().filename().string().starts_with(folder.filename().string());
    for (auto const& entry : fs::directory_iterator(folder)) count += !entry.path().empty();
    return count;
  };
  one.save(folder);
  layered_parameters p = two;
  BOOST_TEST(fail_each_allocation([&] { p.load(folder); },
                                  [&](bool failed) {
                                    BOOST_TEST(is(p, failed ? two : one));
                                    p = two;
                                  }) > 20);
  layered_parameters read = two;
  BOOST_TEST(fail_each_allocation([&] { two.save(folder); },
                                  [&](bool failed) {
                                    read.load(folder);
                                    BOOST_TEST(is(read, failed ? one : two));
                                    BOOST_TEST(files() == 10u);
                                    one.save(folder);
                                  }) > 20);
  fs::remove_all(folder);
}

}  // namespace residua::test
