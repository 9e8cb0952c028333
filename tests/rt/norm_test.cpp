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
  Real const* w() const { return o.weighted ? weight.view().data : nullptr; }

  void value(rt::functions<Real> const& k, guarded<Real>& y) const {
    if (o.centred) k.layer_norm(x.view(), w(), o.biased ? bias.view().data : nullptr, o.offset, o.epsilon, y.view());
    else k.rms_norm(x.view(), w(), o.offset, o.epsilon, y.view());
  }
  void jvp(rt::functions<Real> const& k, guarded<Real>& dy) const {
    if (o.centred) k.layer_norm_jvp(x.view(), w(), o.offset, o.epsilon, dx.view(), dy.view());
    else k.rms_norm_jvp(x.view(), w(), o.offset, o.epsilon, dx.view(), dy.view());
  }
  void vjp(rt::functions<Real> const& k, guarded<Real>& gx, Real* gw, Real* gb) const {
    if (o.centred) k.layer_norm_vjp(x.view(), w(), o.offset, o.epsilon, g.view(), gx.view(), gw, gb);
    else k.rms_norm_vjp(x.view(), w(), o.offset, o.epsilon, g.view(), gx.view(), gw);
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
      if (o.centred)
        kernels.layer_norm(in_place.x.view(), clean.w(), o.biased ? clean.bias.view().data : nullptr, o.offset, o.epsilon,
                           in_place.x.view());
      else kernels.rms_norm(in_place.x.view(), clean.w(), o.offset, o.epsilon, in_place.x.view());
      for (index i = 0; i < m; ++i) BOOST_TEST(same_bits(y, i, in_place.x, i));
    }
}

}  // namespace residua::test
