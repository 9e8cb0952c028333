// A generated source beside a program that defines RESIDUA_HEADER_ONLY: compiled by hand, without the package's library.
#define BOOST_TEST_MODULE header_only
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <golden_kernels/pre_norm.hpp>

namespace rt = residua::rt;

BOOST_AUTO_TEST_CASE(a_block_needs_no_library) {
  golden_kernels::pre_norm::parameters<float> p;
  int at = 0;
  for_each(p, [&](std::string_view, auto& tensor) {
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = 0.3f * std::sin(static_cast<float>(++at));
  });
  rt::tensor<float, 3> x = rt::zeros<float>(2, 3, 8), dx = x, dy = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.data()[i] = std::cos(static_cast<float>(i));
    dx.data()[i] = std::cos(static_cast<float>(2 * i));
    dy.data()[i] = std::sin(static_cast<float>(3 * i));
  }
  golden_kernels::pre_norm::kernel<float> const k(p);
  BOOST_TEST(rt::name(k.instructions()) == "baseline");
  auto const [y, jdx] = k.jvp(x, dx);
  auto const g = k.vjp(x, dy);
  double forth = 0, back = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    forth += static_cast<double>(jdx.data()[i]) * static_cast<double>(dy.data()[i]);
    back += static_cast<double>(dx.data()[i]) * static_cast<double>(g.x.data()[i]);
  }
  BOOST_TEST((k.forward(x) == y));
  BOOST_TEST(std::abs(forth) > 0.1);
  BOOST_TEST(std::abs(forth - back) < 1e-5 * std::abs(forth));
}
