// Compiled kernels of several streams: against the interpreter, pair by pair, with tuples in and out; token by token; and what
// they say of a stream that does not fit. Catches a stream or result in another's place.
#define BOOST_TEST_MODULE streams
#include "compare.hpp"
#include "stream_blocks.hpp"

#include <several/apart.hpp>
#include <several/class_attention.hpp>
#include <several/decoder.hpp>
#include <several/merge.hpp>
#include <several/mixed.hpp>
#include <several/reader.hpp>
#include <several/residual.hpp>
#include <several/widen.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

namespace oracle = residua::oracle;
using shape3 = std::array<std::size_t, 3>;
using tensor3 = xt::xtensor<double, 3>;

namespace {

tensor3 noise(shape3 shape, std::uint64_t seed) {
  oracle::noise source(seed);
  tensor3 t(shape);
  for (double& each : t) each = source.next();
  return t;
}
template <class Parameters>
Parameters noisy(Parameters p = {}) {
  oracle::noise source(5);
  for_each(p, [&](std::string_view, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = 0.3 * source.next();
  });
  return p;
}
bool close(tensor3 const& a, tensor3 const& b) { return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12; }

template <class Action>
std::string message_of(Action const& act) {
  try {
    act();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

/// A sample of the columns of large blocks.
oracle::tolerances affordable() {
  oracle::tolerances allowed = oracle::usual<double>;
  allowed.most_work = 20'000'000;
  return allowed;
}

// `others`: the lengths of axes that the first stream does not have.
#define CHECK_BLOCK(name, others_given, ...)                                                                                     \
  BOOST_AUTO_TEST_CASE(name##_equals_the_interpreter) {                                                                          \
    for (shape3 shape : {__VA_ARGS__})                                                                                           \
      oracle::check_block<several::name::kernel<double>>(stream_blocks::name.view(), several::name::parameters<double>{}, shape, \
                                                         1, affordable(), {.others = others_given});                             \
  }
oracle::extents const none, five_patches{{"T", 5}}, four_beside{{"S", 4}};
CHECK_BLOCK(residual, none, shape3{2, 1, 12}, shape3{1, 7, 12}, shape3{1, 90, 12})
CHECK_BLOCK(class_attention, five_patches, shape3{3, 1, 12})
CHECK_BLOCK(apart, four_beside, shape3{2, 3, 12}, shape3{1, 90, 12})
CHECK_BLOCK(mixed, none, shape3{2, 5, 12})
CHECK_BLOCK(decoder, four_beside, shape3{2, 6, 12})
CHECK_BLOCK(widen, none, shape3{2, 3, 12})
CHECK_BLOCK(merge, none, shape3{2, 3, 12})
CHECK_BLOCK(reader, four_beside, shape3{2, 3, 12})

BOOST_AUTO_TEST_CASE(results_are_tuples_and_are_written_where_they_are_wanted) {
  several::residual::kernel<double> const k(noisy<several::residual::parameters<double>>());
  tensor3 const x = noise({2, 9, 12}, 1), r = noise({2, 9, 12}, 2), dx = noise({2, 9, 12}, 3), dr = noise({2, 9, 12}, 4);
  auto const [y, y1] = k.forward(x, r);
  tensor3 a(x.shape()), b(x.shape()), da(x.shape()), db(x.shape());
  auto ws = k.make_workspace(2, 9);
  k.forward(x, r, a, b, ws);
  BOOST_TEST((a == y && b == y1));
  auto const [values, tangents] = k.jvp(x, r, dx, dr);
  k.jvp(x, r, dx, dr, a, b, da, db, ws);
  BOOST_TEST((std::get<0>(values) == a && std::get<1>(values) == b));
  BOOST_TEST((std::get<0>(tangents) == da && std::get<1>(tangents) == db));
  auto g = k.vjp(x, r, dx, dr);
  auto again = g;
  k.vjp(x, r, dx, dr, again, ws);
  BOOST_TEST((again.x == g.x && again.r == g.r));
  BOOST_TEST((g.r == dr));  // the identity runs on r
  auto const j = k.jacobian(x, r);
  BOOST_TEST(std::tuple_size_v<decltype(j)> == 4u);
  BOOST_TEST(xt::amax(xt::abs(std::get<1>(j)))() == 0);  // of y by r
}

BOOST_AUTO_TEST_CASE(streams_step_together) {
  several::residual::kernel<double> const k(noisy<several::residual::parameters<double>>());
  tensor3 const x = noise({2, 20, 12}, 1), r = noise({2, 20, 12}, 2);
  auto const [y, y1] = k.forward(x, r);
  auto cache = k.make_cache(2, 20);
  auto part = [](tensor3 const& of, std::size_t first, std::size_t count) -> tensor3 {
    return xt::view(of, xt::all(), xt::range(first, first + count), xt::all());
  };
  std::size_t first = 0;
  for (std::size_t count : {1u, 1u, 7u, 11u}) {
    auto const [z, z1] = k.step(part(x, first, count), part(r, first, count), cache);
    BOOST_TEST((close(z, part(y, first, count)) && close(z1, part(y1, first, count))));
    first += count;
  }
  several::decoder::kernel<double> const d(noisy<several::decoder::parameters<double>>());
  tensor3 const m = noise({2, 4, 10}, 3);
  auto const [w, w1] = d.forward(x, r, m);
  auto beside = d.make_cache(m, 20);
  for (std::size_t t = 0; t < 20; ++t) {
    auto const [z, z1] = d.step(part(x, t, 1), part(r, t, 1), beside);
    BOOST_TEST((close(z, part(w, t, 1)) && close(z1, part(w1, t, 1))));
  }
}

BOOST_AUTO_TEST_CASE(a_stream_that_does_not_fit_is_named) {
  several::residual::kernel<double> const k(noisy<several::residual::parameters<double>>());
  tensor3 const x = noise({2, 4, 12}, 1), short_r = noise({2, 3, 12}, 2);
  BOOST_TEST(message_of([&] { k.forward(x, short_r); }) == "r: axis T is 3, must be 4 (as in x)");
  BOOST_TEST(message_of([&] { k.jvp(x, x, x, short_r); }) == "dr: axis T is 3, must be 4 (as in r)");
  BOOST_TEST(message_of([&] { k.vjp(x, x, x, short_r); }) == "dy1: axis T is 3, must be 4 (as in x)");
  tensor3 y(x.shape());
  auto ws = k.make_workspace(2, 4);
  BOOST_TEST(message_of([&] { k.forward(x, x, y, y, ws); }).find("overlap") != std::string::npos);
  several::apart::kernel<double> const a(noisy<several::apart::parameters<double>>());
  BOOST_TEST(message_of([&] { a.forward(x, noise({2, 3, 12}, 3), noise({2, 5, 10}, 4)); }) ==
             "x2: axis S is 5, must be 3 (as in x1)");
  several::class_attention::kernel<double> const c(noisy<several::class_attention::parameters<double>>());
  static_assert(!several::class_attention::kernel<double>::can_step && several::residual::kernel<double>::can_step);
  auto scratch = c.make_workspace(2, 1, 7);
  tensor3 u(shape3{2, 1, 12}), v(shape3{2, 6, 12});
  BOOST_TEST(message_of([&] { c.forward(noise({2, 1, 12}, 5), noise({2, 7, 12}, 6), u, v, scratch); }) ==
             "y1: axis T is 6, must be 7 (as in x1)");
}
