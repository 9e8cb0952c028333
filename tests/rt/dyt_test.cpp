// Dynamic tanh against its formula in double: a gain or bias that is left out, a gradient that is not the adjoint of its
// Jacobian, the gradient of alpha without a row or with the padding of one, NaN that spreads.
#define BOOST_TEST_MODULE rt_dyt
#include "testing.hpp"

namespace residua::test {

template <class Real>
struct problem {
  bool weighted, biased;
  Real alpha;
  guarded<Real> x, weight, bias, dx, g;

  problem(bool weighted_, bool biased_, index m, index n, numbers random)
      : weighted(weighted_),
        biased(biased_),
        alpha(Real(0.75)),
        x(m, n, random, 3),
        weight(1, n, random),
        bias(1, n, random),
        dx(m, n, random),
        g(m, n, random) {}
  rt::norm_options<Real> options() const {
    return {.parameters = {weighted ? weight.view().data : nullptr, biased ? bias.view().data : nullptr, &alpha}};
  }
  void value(rt::functions<Real> const& k, guarded<Real>& y) const { k.normalise(rt::norm::dyt, x.view(), options(), y.view()); }
  void jvp(rt::functions<Real> const& k, guarded<Real>& dy) const {
    k.normalise_jvp(rt::norm::dyt, x.view(), options(), dx.view(), dy.view());
  }
  void vjp(rt::functions<Real> const& k, rt::matrix<Real> gx, rt::norm_gradients<Real> const& sums) const {
    k.normalise_vjp(rt::norm::dyt, x.view(), options(), g.view(), gx, sums);
  }
  double at(guarded<Real> const& m, index i, index j) const { return static_cast<double>(m.at(i, j)); }
  double gain(index j) const { return weighted ? at(weight, 0, j) : 1; }
  double tanh(index i, index j) const { return std::tanh(static_cast<double>(alpha) * at(x, i, j)); }
  double slope(index i, index j) const { return 1 / std::pow(std::cosh(static_cast<double>(alpha) * at(x, i, j)), 2); }
};

BOOST_AUTO_TEST_CASE_TEMPLATE(against_the_formula, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (bool weighted : {true, false})
      for (bool biased : {true, false})
        for (index m : {0, 1, 3})
          for (index n : {index{1}, kernels.lanes - 1, kernels.lanes, 4 * kernels.lanes + 1, index{67}, index{768}}) {
            problem<Real> const p(weighted, biased, m, n, numbers(static_cast<std::uint64_t>(m + n)));
            guarded<Real> y(m, n), dy(m, n), gx(m, n), gw(1, n), gb(1, n);
            gw.fill(0.25);
            gb.fill(0.5);
            Real galpha = 2, only_alpha = 2;
            p.value(kernels, y);
            p.jvp(kernels, dy);
            p.vjp(kernels, gx.view(), {{gw.view().data, gb.view().data, &galpha}});
            p.vjp(kernels, {}, {{nullptr, nullptr, &only_alpha}});
            worst w;
            double const tolerance = 16 * epsilon_of<Real>, alpha = static_cast<double>(p.alpha);
            double of_alpha = 2;
            for (index j = 0; j < n; ++j) {
              double of_weight = 0.25, of_bias = 0.5;
              for (index i = 0; i < m; ++i) {
                double const h = p.gain(j) * p.at(p.g, i, j) * p.slope(i, j);
                w.compare(p.at(y, i, j), p.gain(j) * p.tanh(i, j) + (biased ? p.at(p.bias, 0, j) : 0), tolerance,
                          "y" + place(i, j));
                w.compare(p.at(dy, i, j), p.gain(j) * alpha * p.slope(i, j) * p.at(p.dx, i, j), tolerance, "dy" + place(i, j));
                w.compare(p.at(gx, i, j), alpha * h, tolerance, "gx" + place(i, j));
                of_alpha += h * p.at(p.x, i, j);
                of_weight += p.at(p.g, i, j) * p.tanh(i, j);
                of_bias += p.at(p.g, i, j);
              }
              w.compare(p.at(gw, 0, j), of_weight, tolerance, "gweight" + place(0, j));
              w.compare(p.at(gb, 0, j), of_bias, tolerance, "gbias" + place(0, j));
            }
            w.compare(static_cast<double>(galpha), of_alpha, tolerance * std::sqrt(static_cast<double>(m * n + 1)), "galpha");
            RESIDUA_CHECK_WORST(w, name(kernels.set)
                                       << " weighted " << weighted << " biased " << biased << " m " << m << " n " << n);
            BOOST_TEST(only_alpha == galpha);
            BOOST_TEST((y.padding_untouched() && dy.padding_untouched() && gx.padding_untouched()));
          }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nan_and_infinity_stay_where_they_are, Real, scalars) {
  Real const infinity = std::numeric_limits<Real>::infinity();
  for (auto const& kernels : kernel_tables<Real>()) {
    problem<Real> p(true, false, 3, 67, numbers(7));
    p.x.at(0, 3) = infinity;
    p.x.at(2, 66) = -infinity;
    guarded<Real> y(3, 67), gx(3, 67);
    Real galpha = 0;
    p.value(kernels, y);
    p.vjp(kernels, gx.view(), {{nullptr, nullptr, &galpha}});
    BOOST_TEST((y.at(0, 3) == p.weight.at(0, 3) && y.at(2, 66) == -p.weight.at(0, 66)));
    BOOST_TEST((gx.at(0, 3) == 0 && gx.at(2, 66) == 0 && std::isfinite(galpha)));
    p.x.at(1, 5) = static_cast<Real>(nan);
    p.value(kernels, y);
    p.vjp(kernels, gx.view(), {{nullptr, nullptr, &galpha}});
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 67; ++j)
        BOOST_TEST((std::isnan(y.at(i, j)) == (i == 1 && j == 5) && std::isnan(gx.at(i, j)) == (i == 1 && j == 5)));
    BOOST_TEST(std::isnan(galpha));
  }
}

}  // namespace residua::test
