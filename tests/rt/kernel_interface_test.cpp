// What kernels say of wrong arguments, word for word, and that they say it before anything is written or dereferenced.
#define BOOST_TEST_MODULE rt_kernel_interface
#include "handwritten/made.hpp"
#include "messages.hpp"

#include <boost/test/unit_test.hpp>
#include <xtensor/xadapt.hpp>

#include <functional>
#include <string>
#include <vector>

namespace residua::test {

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
  says(
      [&] {
        auto y = x;
        k.forward(y, y, scratch);
      },
      "y: overlaps another argument");
  says(
      [&] {
        auto y = x;
        k.jvp(x, x, y, y, scratch);
      },
      "dy: overlaps another argument");
  says(
      [&] {
        auto y = rt::zeros<double>(2, 5, 4);
        k.forward(x, y, scratch);
      },
      "y: axis T is 5, must be 3 (as in x)");
  says(
      [&] {
        auto g = k.vjp(x, x);
        k.vjp(x, g.x, g, scratch);
      },
      "g.x: overlaps another argument");
  says(
      [&] {
        auto g = k.vjp(x, x);
        auto const inside =
            xt::adapt(g.parameters.h[1].weight.data(), 16, xt::no_ownership(), std::array<std::size_t, 3>{2, 2, 4});
        stream const two = rt::zeros<double>(2, 2, 4);
        g.x = two;
        k.vjp(two, inside, g, scratch);
      },
      "g.parameters.h.1.weight: overlaps another argument");
  says(
      [&] {
        auto g = k.vjp(x, x);
        g.parameters.h[1].bias = rt::zeros<double>(3);
        k.vjp(x, x, g, scratch);
      },
      "h.1.bias: axis n is 3, must be 4");
  says(
      [&] {
        auto const columns = xt::xtensor<double, 3, xt::layout_type::column_major>(std::array<std::size_t, 3>{2, 3, 4});
        k.forward(columns);
      },
      "x: not row-major and contiguous: axis d has stride 6, must have 1; assign it to an xt::xtensor first");
  says(
      [&] {
        rt::workspace none;
        auto y = x;
        k.forward(x, y, none);
      },
      "workspace: holds 0 bytes per thread, needs " + std::to_string(84 * 64 + 64) +
          "; make it with this kernel's make_workspace");
  std::string const small = message_of([&] {
    auto y = rt::zeros<double>(2, 300, 4);
    k.forward(noise({2, 300, 4}, 1), y, scratch);
  });
  BOOST_TEST(small.starts_with("workspace: holds "));
  BOOST_TEST(small.ends_with("; make it for extents as large as the stream's"));
}

BOOST_AUTO_TEST_CASE(wrong_arguments_of_two_streams) {
  reader_kernel const k(reader_weights());
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
  reader_kernel twin(reader_weights());
  says([&] { twin.step(x, cache); }, stale);
  auto own = twin.make_cache(m, 4);
  twin.update(reader_parameters());
  says([&] { twin.step(x, own); }, stale);
  auto const taken = std::move(cache);
  says([&] { k.step(x, cache); }, stale);
  BOOST_TEST(taken.capacity() == 4);
  std::string const small = message_of([&] {
    auto y = x;
    auto scratch = k.make_workspace(1, 1, 1);
    k.forward(x, m, y, scratch);
  });
  BOOST_TEST(small.ends_with("; make it for extents as large as the stream's"));
}

BOOST_AUTO_TEST_CASE(run_time_widths_are_checked) {
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 0, .n = 0})); }) == "extents: d is 0, must be 1 or more");
  BOOST_TEST(message_of([] { layered_kernel k(layered_parameters({.d = 4, .n = 3})); }) ==
             "extents: n is 3, must be 4: it is d, renamed");
  layered_parameters p = layers_of(4);
  p.h[1].weight = rt::zeros<double>(4, 5);
  BOOST_TEST(message_of([&] { layered_kernel k(p); }) == "h.1.weight: axis n is 5, must be 4");
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
  says([&] { k.forward(xt::adapt(static_cast<double*>(nullptr), 24, xt::no_ownership(), std::array<std::size_t, 3>{2, 3, 4})); },
       "x" + null);
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
  says(
      [&] {
        auto z = y;
        k.forward(y, z, scratch);
      },
      message_of([&] {
        rt::workspace none;
        auto z = y;
        k.forward(y, z, none);
      }));
  layered_kernel const kernel_taken = std::move(k);
  for (auto const& call :
       {std::function<void()>([&] { k.forward(y); }), std::function<void()>([&] { k.instructions(); }),
        std::function<void()>([&] { k.make_workspace(1, 1); }), std::function<void()>([&] { k.update(layers_of(4)); })})
    says(call, "kernel: was moved from");
  BOOST_TEST((kernel_taken.forward(y) == before));
}

BOOST_AUTO_TEST_CASE(extents_beyond_memory_are_told) {
  auto const says = [](auto const& action, std::string const& expected) { BOOST_TEST(message_of(action) == expected); };
  layered_kernel const k(layers_of(4));
  reader_kernel const r(reader_weights());
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
  says([&] { layered_parameters p({.d = half, .n = half}); },
       "extents: a tensor of (4611686018427387904, 4611686018427387904) has too many elements");
  says([&] { layered_parameters p({.d = -1, .n = 1}); }, "extents: a tensor of (-1, 1) has less than no elements");
}

}  // namespace residua::test
