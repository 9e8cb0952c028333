// Activations against the interpreter in long double: inaccurate tails, overflow at large arguments, NaN that is lost or
// spreads, a derivative that is not the derivative.
#define BOOST_TEST_MODULE rt_activation
#include "testing.hpp"

#include <residua/reference/derivative.hpp>
#include <string_view>

namespace residua::test {

using real = long double;

/// An activation as the interpreter states it, from the papers.
struct reference {
  rt::activation function;
  graph::op operation;
  std::string_view name;

  real value(real x) const { return residua::reference::activated(operation, x); }
  real derivative(real x) const {
    residua::reference::dual<real> moving(x);
    moving.slope[0] = 1;
    return residua::reference::activated(operation, moving).slope[0];
  }
};

#define RESIDUA_REFERENCE(NAME) {rt::activation::NAME, graph::op::NAME, #NAME},
std::vector<reference> const references{RESIDUA_ACTIVATIONS(RESIDUA_REFERENCE)};
#undef RESIDUA_REFERENCE

template <class Real>
std::vector<Real> arguments() {
  std::vector<Real> xs{Real(0),     Real(-0.0), Real(1e4),  Real(-1e4), Real(1e-30), Real(-1e-30), Real(88.5), Real(-88.5),
                       Real(-87.4), Real(6.5),  Real(-6.5), Real(0.35), Real(38),    Real(-38.5),  Real(708),  Real(-709)};
  numbers random(11);
  for (int i = 0; i < 20000; ++i)
    xs.push_back(static_cast<Real>(random() * (i % 4 == 0 ? 0.5 : i % 4 == 1 ? 4 : i % 4 == 2 ? 12 : 100)));
  return xs;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(accuracy, Real, scalars) {
  auto const xs = arguments<Real>();
  index const n = static_cast<index>(xs.size());
  guarded<Real> x(1, n), y(1, n), dy(1, n), one(1, n);
  one.fill(1);
  for (index j = 0; j < n; ++j) x.at(0, j) = xs[static_cast<std::size_t>(j)];
  for (auto const& kernels : kernel_tables<Real>()) {
    for (reference const& f : references) {
      kernels.activate(f.function, x.view(), y.view());
      kernels.slope(f.function, x.view(), one.view(), dy.view());
      worst value, derivative;
      for (index j = 0; j < n; ++j) {
        real const v = f.value(x.at(0, j)), d = f.derivative(x.at(0, j));
        auto const tolerance = [](real t) { return 6 * epsilon_of<Real> * std::max(1.0, static_cast<double>(std::abs(t))); };
        value.compare(static_cast<double>(y.at(0, j)), static_cast<double>(v), tolerance(v), std::to_string(x.at(0, j)));
        derivative.compare(static_cast<double>(dy.at(0, j)), static_cast<double>(d), tolerance(d), std::to_string(x.at(0, j)));
      }
      BOOST_TEST_MESSAGE(name(kernels.set) << " " << f.name << " value " << value.excess * 6 << " ulp, derivative "
                                           << derivative.excess * 6 << " ulp");
      RESIDUA_CHECK_WORST(value, name(kernels.set) << " " << f.name);
      RESIDUA_CHECK_WORST(derivative, name(kernels.set) << " derivative of " << f.name);
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nan_stays_in_its_lane, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (reference const& f : references)
      for (index n : {index{0}, index{1}, kernels.lanes - 1, kernels.lanes, 2 * kernels.lanes + 1, index{67}}) {
        numbers random(3);
        guarded<Real> x(3, n, random, 3), y(3, n), z(3, n), dy(3, n), dz(3, n), dx(3, n, random);
        kernels.activate(f.function, x.view(), y.view());
        kernels.slope(f.function, x.view(), dx.view(), dy.view());
        if (n == 0) continue;
        x.at(1, n - 1) = static_cast<Real>(nan);
        kernels.activate(f.function, x.view(), z.view());
        kernels.slope(f.function, x.view(), dx.view(), dz.view());
        for (index i = 0; i < 3; ++i)
          for (index j = 0; j < n; ++j) {
            bool const poisoned = i == 1 && j == n - 1;
            BOOST_TEST((poisoned ? std::isnan(z.at(i, j)) : z.at(i, j) == y.at(i, j)),
                       name(kernels.set) << " " << f.name << place(i, j) << z.at(i, j));
            BOOST_TEST((poisoned ? std::isnan(dz.at(i, j)) : dz.at(i, j) == dy.at(i, j)),
                       name(kernels.set) << " " << f.name << " derivative " << place(i, j));
          }
        BOOST_TEST((z.padding_untouched() && dz.padding_untouched()));
      }
}

/// Whether y is what a value or derivative of f comes to far out on the side of `at`: exactly, as all do that come there as
/// exp(-|x|) goes to 0; to rounding, where one comes slower, as 1 / (1 + |x|) would.
template <class Real>
bool is_limit(Real y, real limit, reference const& f, real at) {
  real const near = f.derivative(std::copysign(real(50), at)), far = f.derivative(std::copysign(real(1000), at));
  bool const slow = std::abs(near - far) > 1e-9L;
  return y == static_cast<Real>(limit) || (slow && std::abs(real(y) - limit) <= 6 * real(epsilon_of<Real>));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(saturation, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (reference const& f : references) {
      guarded<Real> x(1, 2), y(1, 2);
      x.at(0, 0) = Real(1e4);
      x.at(0, 1) = Real(-1e4);
      kernels.activate(f.function, x.view(), y.view());
      for (index j : {0, 1})
        BOOST_TEST(is_limit(y.at(0, j), f.value(x.at(0, j)), f, x.at(0, j)), name(kernels.set)
                                                                                 << " " << f.name << " of " << x.at(0, j));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(limits, Real, scalars) {
  Real const infinity = std::numeric_limits<Real>::infinity(), most = std::numeric_limits<Real>::max();
  for (auto const& kernels : kernel_tables<Real>())
    for (reference const& f : references)
      for (Real size : {Real(2e19), most / 2, most, infinity}) {
        guarded<Real> x(1, 2), y(1, 2), dy(1, 2), one(1, 2);
        x.at(0, 0) = size;
        x.at(0, 1) = -size;
        one.fill(1);
        kernels.activate(f.function, x.view(), y.view());
        kernels.slope(f.function, x.view(), one.view(), dy.view());
        for (index j : {0, 1}) {
          // infinity as a number beyond Real, whose cube long double has
          real const at = std::isinf(size) ? std::copysign(1e1000L, real(x.at(0, j))) : real(x.at(0, j));
          std::string const where = std::string(name(kernels.set)) + " " + std::string(f.name) + " " + std::to_string(x.at(0, j));
          BOOST_TEST(is_limit(y.at(0, j), f.value(at), f, at), where);
          BOOST_TEST(is_limit(dy.at(0, j), f.derivative(at), f, at), where << " derivative");
        }
      }
}

}  // namespace residua::test
