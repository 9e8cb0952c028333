// Activations against the C library in long double: inaccurate tails, overflow at large arguments, NaN that is lost or
// spreads, a derivative that is not the derivative.
#define BOOST_TEST_MODULE rt_activation
#include "testing.hpp"

#include <string_view>

namespace residua::test {

using real = long double;
real sigmoid(real x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
real normal(real x) { return std::erfc(-x / std::sqrt(real(2))) / 2; }
real density(real x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(real(-1))); }
real const c = std::sqrt(2 / std::acos(real(-1)));

struct reference {
  rt::activation function;
  std::string_view name;
  real (*value)(real);
  real (*derivative)(real);
};

std::vector<reference> const references{
    {rt::activation::tanh, "tanh", [](real x) { return std::tanh(x); }, [](real x) { return 1 / (std::cosh(x) * std::cosh(x)); }},
    {rt::activation::relu, "relu", [](real x) { return x > 0 ? x : 0; }, [](real x) { return real(x > 0); }},
    {rt::activation::relu_squared, "relu_squared", [](real x) { return x > 0 ? x * x : 0; },
     [](real x) { return x > 0 ? 2 * x : 0; }},
    {rt::activation::gelu_erf, "gelu_erf", [](real x) { return x * normal(x); },
     [](real x) { return normal(x) + x * density(x); }},
    {rt::activation::gelu_tanh, "gelu_tanh", [](real x) { return x * sigmoid(2 * c * (x + real(0.044715) * x * x * x)); },
     [](real x) {
       real const s = sigmoid(2 * c * (x + real(0.044715) * x * x * x));
       return s + x * s * sigmoid(-2 * c * (x + real(0.044715) * x * x * x)) * 2 * c * (1 + 3 * real(0.044715) * x * x);
     }},
    {rt::activation::silu, "silu", [](real x) { return x * sigmoid(x); },
     [](real x) { return sigmoid(x) * (1 + x * sigmoid(-x)); }},
    {rt::activation::sigmoid, "sigmoid", sigmoid, [](real x) { return sigmoid(x) * sigmoid(-x); }},
    {rt::activation::softplus, "softplus", [](real x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))); }, sigmoid},
};

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

BOOST_AUTO_TEST_CASE_TEMPLATE(saturation, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (reference const& f : references) {
      guarded<Real> x(1, 2), y(1, 2);
      x.at(0, 0) = Real(1e4);
      x.at(0, 1) = Real(-1e4);
      kernels.activate(f.function, x.view(), y.view());
      Real const high = f.name == "tanh" || f.name == "sigmoid" ? Real(1) : f.name == "relu_squared" ? Real(1e8) : Real(1e4);
      BOOST_TEST(y.at(0, 0) == high, name(kernels.set) << " " << f.name);
      BOOST_TEST(y.at(0, 1) == (f.name == "tanh" ? Real(-1) : Real(0)), name(kernels.set) << " " << f.name);
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
        bool const flat = f.name == "tanh" || f.name == "sigmoid", square = f.name == "relu_squared";
        std::string const where = std::string(name(kernels.set)) + " " + std::string(f.name) + " " + std::to_string(size);
        BOOST_TEST(y.at(0, 0) == (flat ? Real(1) : square ? size * size : size), where);
        BOOST_TEST(y.at(0, 1) == (f.name == "tanh" ? Real(-1) : Real(0)), where);
        BOOST_TEST(dy.at(0, 0) == (flat ? Real(0) : square ? 2 * size : Real(1)), where << " derivative");
        BOOST_TEST(dy.at(0, 1) == Real(0), where << " derivative");
      }
}

}  // namespace residua::test
