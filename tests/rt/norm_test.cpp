// Norms against their formulas in double: one-pass variance, epsilon in the wrong place, statistics that mix rows, a
// gradient that is not the adjoint of its Jacobian.
#define BOOST_TEST_MODULE rt_norm
#include "testing.hpp"

namespace residua::test {

/// One norm with its options; centred is layer norm.
struct options {
  bool centred, weighted, biased;
  double offset, epsilon;
};

std::vector<options> const every_option{{true, true, true, 0, 1e-5},   {true, true, false, 1, 1e-5},
                                        {true, false, false, 0, 1e-2}, {false, true, false, 0, 1e-6},
                                        {false, true, false, 1, 1e-6}, {false, false, false, 0, 1e-2}};

template <class Real>
struct problem {
  options o;
  guarded<Real> x, weight, bias, dx, g;

  problem(options const& o_, index m, index n, numbers random)
      : o(o_), x(m, n, random, 2), weight(1, n, random), bias(1, n, random), dx(m, n, random), g(m, n, random) {
    for (index i = 0; i < m; ++i)
      for (index j = 0; j < n; ++j) x.at(i, j) += static_cast<Real>(i % 3);
  }
  rt::norm norm() const { return o.centred ? rt::norm::layer_norm : rt::norm::rms_norm; }
  rt::norm_options<Real> options_of() const {
    return {.parameters = {o.weighted ? weight.view().data : nullptr, o.biased ? bias.view().data : nullptr},
            .offset = o.offset,
            .epsilon = o.epsilon};
  }

  void value(rt::functions<Real> const& k, guarded<Real>& y) const { k.normalise(norm(), x.view(), options_of(), y.view()); }
  void jvp(rt::functions<Real> const& k, guarded<Real>& dy) const {
    k.normalise_jvp(norm(), x.view(), options_of(), dx.view(), dy.view());
  }
  void vjp(rt::functions<Real> const& k, guarded<Real>& gx, Real* gw, Real* gb) const {
    k.normalise_vjp(norm(), x.view(), options_of(), g.view(), gx.view(), {{gw, gb}});
  }

  double gain(index j) const { return o.weighted ? o.offset + static_cast<double>(weight.at(0, j)) : 1; }

  /// The normalised row i of x + t dx, before gain and bias.
  std::vector<double> normalised(index i, double t) const {
    index const n = x.columns();
    std::vector<double> c;
    double mean = 0, square = 0;
    for (index j = 0; j < n; ++j) c.push_back(static_cast<double>(x.at(i, j)) + t * static_cast<double>(dx.at(i, j)));
    if (o.centred)
      for (double v : c) mean += v / static_cast<double>(n);
    for (double& v : c) v -= mean;
    for (double v : c) square += v * v / static_cast<double>(n);
    for (double& v : c) v /= std::sqrt(square + o.epsilon);
    return c;
  }
};

std::vector<index> extents(index lanes) { return {1, 2, lanes - 1, lanes, lanes + 1, 4 * lanes, 4 * lanes + 1, 67, 768}; }

BOOST_AUTO_TEST_CASE_TEMPLATE(value_and_jacobian, Real, scalars) {
  index const m = 4;
  for (auto const& kernels : kernel_tables<Real>())
    for (options const& o : every_option)
      for (index n : extents(kernels.lanes)) {
        problem<Real> const p(o, m, n, numbers(static_cast<std::uint64_t>(n)));
        guarded<Real> y(m, n), dy(m, n), gx(m, n), gw(1, n), gb(1, n);
        gw.fill(0.25);
        gb.fill(0.5);
        p.value(kernels, y);
        p.jvp(kernels, dy);
        p.vjp(kernels, gx, gw.view().data, o.centred ? gb.view().data : nullptr);
        worst w;
        double const tolerance = 40 * epsilon_of<Real> / std::sqrt(o.epsilon + 1e-3);
        std::vector<double> gw_sum(static_cast<std::size_t>(n), 0.25), gb_sum(static_cast<std::size_t>(n), 0.5);
        for (index i = 0; i < m; ++i) {
          auto const xh = p.normalised(i, 0), plus = p.normalised(i, 1e-6), minus = p.normalised(i, -1e-6);
          double left = 0, right = 0;
          for (index j = 0; j < n; ++j) {
            auto const at = static_cast<std::size_t>(j);
            double const b = o.biased ? static_cast<double>(p.bias.at(0, j)) : 0;
            w.compare(static_cast<double>(y.at(i, j)), p.gain(j) * xh[at] + b, tolerance, "y" + place(i, j));
            double const derivative = p.gain(j) * (plus[at] - minus[at]) / 2e-6;
            w.compare(static_cast<double>(dy.at(i, j)), derivative, tolerance * 10 + 1e-7, "dy" + place(i, j));
            left += static_cast<double>(dy.at(i, j)) * static_cast<double>(p.g.at(i, j));
            right += static_cast<double>(p.dx.at(i, j)) * static_cast<double>(gx.at(i, j));
            gw_sum[at] += static_cast<double>(p.g.at(i, j)) * xh[at];
            gb_sum[at] += static_cast<double>(p.g.at(i, j));
          }
          w.compare(left, right, tolerance * 10 * std::sqrt(static_cast<double>(n)), "adjoint of row " + std::to_string(i));
        }
        for (index j = 0; j < n; ++j) {
          w.compare(static_cast<double>(gw.at(0, j)), gw_sum[static_cast<std::size_t>(j)], 4 * tolerance,
                    "gweight" + place(0, j));
          if (o.centred)
            w.compare(static_cast<double>(gb.at(0, j)), gb_sum[static_cast<std::size_t>(j)], tolerance, "gbias" + place(0, j));
        }
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " centred " << o.centred << " weighted " << o.weighted << " offset "
                                                 << o.offset << " n " << n);
        BOOST_TEST((y.padding_untouched() && dy.padding_untouched() && gx.padding_untouched()));
      }
}

BOOST_AUTO_TEST_CASE(far_from_zero) {
  // float rows of mean 4e4 and constant rows: a one-pass variance gives noise or NaN here.
  for (auto const& kernels : kernel_tables<float>())
    for (index n : {67, 768}) {
      problem<float> p({true, false, false, 0, 1e-5}, 3, n, numbers(1));
      for (index j = 0; j < n; ++j) {
        p.x.at(0, j) += 4e4F;
        p.x.at(1, j) = 1234.0F;
        p.x.at(2, j) = 1234.567F;
      }
      guarded<float> y(3, n), gx(3, n);
      p.value(kernels, y);
      p.vjp(kernels, gx, nullptr, nullptr);
      worst w;
      for (index i = 0; i < 3; ++i) {
        auto const xh = p.normalised(i, 0);
        for (index j = 0; j < n; ++j) {
          w.compare(static_cast<double>(y.at(i, j)), xh[static_cast<std::size_t>(j)], 1e-5, place(i, j));
          BOOST_TEST(std::isfinite(gx.at(i, j)));
        }
      }
      RESIDUA_CHECK_WORST(w, name(kernels.set) << " n " << n);
    }
}

/// Rows whose squares Real does not hold, and an epsilon that it does not: x = 2^power u with epsilon gives what u gives with
/// epsilon / 4^power.
BOOST_AUTO_TEST_CASE_TEMPLATE(rows_of_any_size, Real, scalars) {
  constexpr int most = std::numeric_limits<Real>::max_exponent, tiny = sizeof(Real) == 4 ? -83 : -520;
  struct {
    int power;
    double epsilon, epsilon_of_u;
  } const cases[] = {{most - 3, 1e-5, 1e-30}, {most / 2 + 3, 1e-5, 1e-30}, {tiny, std::ldexp(1.0, 2 * tiny), 1.0}};
  for (auto const& kernels : kernel_tables<Real>())
    for (bool centred : {true, false})
      for (auto const& [power, epsilon, epsilon_of_u] : cases)
        for (index n : {1, 3, 67, 768}) {
          problem<Real> p({centred, true, centred, 0, epsilon_of_u}, 2, n, numbers(5));
          guarded<Real> y(2, n), dy(2, n), gx(2, n), y_of_u(2, n), dy_of_u(2, n), gx_of_u(2, n);
          p.value(kernels, y_of_u);
          p.jvp(kernels, dy_of_u);
          p.vjp(kernels, gx_of_u, nullptr, nullptr);
          p.o.epsilon = epsilon;
          for (index i = 0; i < 2; ++i)
            for (index j = 0; j < n; ++j) {
              p.x.at(i, j) = std::ldexp(p.x.at(i, j), power);
              p.dx.at(i, j) = std::ldexp(p.dx.at(i, j), power - 20);  // so that their sum is a number
            }
          p.value(kernels, y);
          p.jvp(kernels, dy);
          p.vjp(kernels, gx, nullptr, nullptr);
          worst w;
          auto const compare = [&](char const* what, guarded<Real> const& actual, int scale, guarded<Real> const& expected) {
            for (index i = 0; i < 2; ++i)
              for (index j = 0; j < n; ++j)
                w.compare(std::ldexp(static_cast<double>(actual.at(i, j)), scale), static_cast<double>(expected.at(i, j)),
                          1e3 * epsilon_of<Real>, what + place(i, j));
          };
          compare("y", y, 0, y_of_u);
          compare("dy", dy, 20, dy_of_u);
          compare("gx", gx, power, gx_of_u);
          RESIDUA_CHECK_WORST(w, name(kernels.set) << " centred " << centred << " power " << power << " n " << n);
        }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(equal_numbers_beside_an_epsilon_of_nothing, Real, scalars) {
  double const epsilon = sizeof(Real) == 4 ? 1e-50 : 1e-310;
  for (auto const& kernels : kernel_tables<Real>())
    for (double value : {0.0, 1.0, 1234.567, -3e-20})
      for (index n : {1, 67, 768}) {
        problem<Real> p({true, true, true, 1, epsilon}, 1, n, numbers(3));
        p.x.fill(value);
        guarded<Real> y(1, n), gx(1, n);
        p.value(kernels, y);
        p.vjp(kernels, gx, nullptr, nullptr);
        BOOST_TEST(same_bits(y, 0, p.bias, 0), name(kernels.set) << " value " << value << " n " << n);
        for (index j = 0; j < n; ++j) BOOST_TEST(std::isfinite(gx.at(0, j)));
        p.o = {false, true, false, 0, epsilon};
        p.value(kernels, y);
        double const sign = value > 0 ? 1 : value < 0 ? -1 : 0;
        for (index j = 0; j < n; ++j)
          BOOST_TEST(std::abs(static_cast<double>(y.at(0, j)) - sign * static_cast<double>(p.weight.at(0, j))) <=
                     8 * epsilon_of<Real>);
      }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(rows_are_separate, Real, scalars) {
  index const m = 5, n = 67;
  for (auto const& kernels : kernel_tables<Real>())
    for (options const& o : every_option) {
      problem<Real> clean(o, m, n, numbers(7));
      problem<Real> poisoned = clean;
      poisoned.x.at(2, n - 1) = static_cast<Real>(nan);
      guarded<Real> y(m, n), z(m, n), gx(m, n), hx(m, n), dy(m, n), ey(m, n);
      clean.value(kernels, y);
      poisoned.value(kernels, z);
      clean.vjp(kernels, gx, nullptr, nullptr);
      poisoned.vjp(kernels, hx, nullptr, nullptr);
      clean.jvp(kernels, dy);
      poisoned.jvp(kernels, ey);
      for (index i = 0; i < m; ++i) {
        BOOST_TEST((i == 2 ? std::isnan(z.at(i, 0)) && std::isnan(z.at(i, n - 1)) : same_bits(y, i, z, i)));
        BOOST_TEST((i == 2 ? std::isnan(hx.at(i, 0)) : same_bits(gx, i, hx, i)));
        BOOST_TEST((i == 2 ? std::isnan(ey.at(i, 0)) : same_bits(dy, i, ey, i)));
      }
      problem<Real> in_place = clean;
      in_place.value(kernels, in_place.x);
      for (index i = 0; i < m; ++i) BOOST_TEST(same_bits(y, i, in_place.x, i));
    }
}

}  // namespace residua::test
