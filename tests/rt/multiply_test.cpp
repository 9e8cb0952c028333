// The products against sums in double: wrong tails, wrong panels, writes beyond the matrix, results that depend on
// the neighbours of a row, NaN that spreads.
#define BOOST_TEST_MODULE rt_multiply
#include "testing.hpp"

namespace residua::test {

template <class Real>
struct product {
  guarded<Real> x, w;
  rt::packed_matrix<Real> packed;

  product(index m, index k, index n) : x(m, k), w(k, n, 0) {
    numbers random(static_cast<std::uint64_t>(m * 10007 + k * 101 + n));
    for (index i = 0; i < m; ++i)
      for (index p = 0; p < k; ++p) x.at(i, p) = static_cast<Real>(random());
    for (index p = 0; p < k; ++p)
      for (index j = 0; j < n; ++j) w.at(p, j) = static_cast<Real>(random());
    packed.pack(w.view().data, k, n);
  }

  double sum(index i, index j) const {
    double s = 0;
    for (index p = 0; p < w.rows(); ++p) s += static_cast<double>(x.at(i, p)) * static_cast<double>(w.at(p, j));
    return s;
  }
};

template <class Real>
double tolerance(index k) {
  return epsilon_of<Real> * (8 + static_cast<double>(k));
}

template <class Real>
void check_product(rt::functions<Real> const& kernels, index m, index k, index n) {
  product<Real> p(m, k, n);
  guarded<Real> y(m, n), z(m, n), twice(m, n);
  numbers random(5);
  guarded<Real> const bias(1, n, random), residual(m, n, random);
  kernels.multiply(p.x.view(), p.packed.view(), y.view(), {});
  worst w;
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j) w.compare(static_cast<double>(y.at(i, j)), p.sum(i, j), tolerance<Real>(k), place(i, j));

  kernels.multiply(p.x.view(), p.packed.view(), {}, {rt::kept(z.view()), rt::scaled(Real(2)), rt::kept(twice.view())});
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j) {
      w.compare(static_cast<double>(z.at(i, j)), static_cast<double>(y.at(i, j)), 1e-300, place(i, j) + " stored");
      w.compare(static_cast<double>(twice.at(i, j)), 2 * static_cast<double>(y.at(i, j)), 1e-300, place(i, j) + " doubled");
    }

  kernels.multiply(p.x.view(), p.packed.view(), z.view(), {rt::plus_vector(bias.view().data), rt::plus(residual.view())});
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j)
      w.compare(static_cast<double>(z.at(i, j)),
                p.sum(i, j) + static_cast<double>(bias.at(0, j)) + static_cast<double>(residual.at(i, j)), tolerance<Real>(k + 8),
                place(i, j) + " residual");
  RESIDUA_CHECK_WORST(w, name(kernels.set) << " m " << m << " k " << k << " n " << n);
  BOOST_TEST((y.padding_untouched() && z.padding_untouched() && twice.padding_untouched()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(every_small_extent, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index m : {0, 1, 2, 5, 6, 7, 11, 13, 14, 15, 29})
      for (index k : {0, 1, 2, 3, 17})
        for (index n : {index{0}, index{1}, kernels.lanes - 1, kernels.lanes, kernels.lanes + 1, 2 * kernels.lanes,
                        2 * kernels.lanes + 1, index{31}, index{32}, index{33}, index{67}})
          check_product(kernels, m, k, n);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(model_extents, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>()) {
    check_product<Real>(kernels, 3, 768, 769);
    check_product<Real>(kernels, 17, 768, 64);
    check_product<Real>(kernels, 61, 9001, 35);  // several bands of rows
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(transposed_weights_and_columns, Real, scalars) {
  index const m = 5, k = 23, n = 75;
  product<Real> p(m, k, n);
  guarded<Real> transposed(n, k, 0), y(m, n), z(m, n);
  for (index j = 0; j < n; ++j)
    for (index q = 0; q < k; ++q) transposed.at(j, q) = p.w.at(q, j);
  rt::packed_matrix<Real> packed;
  packed.pack_transposed(transposed.view().data, k, n);
  BOOST_TEST(packed.rows() == k);
  BOOST_TEST(packed.columns() == n);
  BOOST_TEST(packed.panel_data(0)[2 * rt::panel<Real> + 1] == p.w.at(2, 1));
  for (auto const& kernels : kernel_tables<Real>()) {
    kernels.multiply(p.x.view(), p.packed.view(), y.view(), {});
    index const half = rt::panel<Real>;
    kernels.multiply(p.x.view(), packed.view().columns_from(0, half), z.view().columns_from(0, half), {});
    kernels.multiply(p.x.view(), packed.view().columns_from(half, n - half), z.view().columns_from(half, n - half), {});
    for (index i = 0; i < m; ++i) BOOST_TEST(same_bits(y, i, z, i), name(kernels.set) << " row " << i);
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_row_depends_on_itself_alone, Real, scalars) {
  index const m = 37, k = 301, n = 70;
  product<Real> p(m, k, n);
  for (auto const& kernels : kernel_tables<Real>()) {
    guarded<Real> all(m, n), some(m, n);
    kernels.multiply(p.x.view(), p.packed.view(), all.view(), {});
    for (index first : {0, 1, 12, 20})
      for (index count : {1, 3, 17}) {
        kernels.multiply(p.x.view().rows_from(first, count), p.packed.view(), some.view().rows_from(0, count), {});
        for (index i = 0; i < count; ++i)
          BOOST_TEST(same_bits(all, first + i, some, i), name(kernels.set) << " rows " << first << " + " << i << " of " << count);
      }
    product<Real> poisoned(m, k, n);
    poisoned.x.at(4, 7) = static_cast<Real>(nan);
    kernels.multiply(poisoned.x.view(), poisoned.packed.view(), some.view(), {});
    for (index i = 0; i < m; ++i)
      BOOST_TEST((i == 4 ? std::isnan(some.at(i, 0)) && std::isnan(some.at(i, n - 1)) : same_bits(all, i, some, i)));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(weight_gradient, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index m : {0, 1, 5, 300})
      for (index k : {1, 13, 29})
        for (index n : {index{1}, kernels.lanes - 1, 2 * kernels.lanes, 2 * kernels.lanes + 3, index{67}}) {
          numbers random(static_cast<std::uint64_t>(m + k + n));
          guarded<Real> const x(m, k, random), g(m, n, random), before(k, n, random);
          guarded<Real> gw = before, split = before;
          kernels.accumulate_outer(x.view(), g.view(), gw.view(), 0, k);
          worst w;
          for (index p = 0; p < k; ++p)
            for (index j = 0; j < n; ++j) {
              double s = static_cast<double>(before.at(p, j));
              for (index i = 0; i < m; ++i) s += static_cast<double>(x.at(i, p)) * static_cast<double>(g.at(i, j));
              w.compare(static_cast<double>(gw.at(p, j)), s, tolerance<Real>(m), place(p, j));
            }
          RESIDUA_CHECK_WORST(w, name(kernels.set) << " m " << m << " k " << k << " n " << n);
          kernels.accumulate_outer(x.view(), g.view(), split.view(), k / 3, k);
          kernels.accumulate_outer(x.view(), g.view(), split.view(), 0, k / 3);
          for (index p = 0; p < k; ++p) BOOST_TEST(same_bits(gw, p, split, p));
          BOOST_TEST(gw.padding_untouched());
        }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(bias_gradient, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index n : {index{0}, index{1}, kernels.lanes - 1, kernels.lanes + 1, 4 * kernels.lanes, index{769}}) {
      numbers random(3);
      guarded<Real> const g(7, n, random), before(1, n, random);
      guarded<Real> gb = before;
      kernels.accumulate_column_sums(g.view(), gb.view().data);
      worst w;
      for (index j = 0; j < n; ++j) {
        double s = static_cast<double>(before.at(0, j));
        for (index i = 0; i < 7; ++i) s += static_cast<double>(g.at(i, j));
        w.compare(static_cast<double>(gb.at(0, j)), s, tolerance<Real>(8), place(0, j));
      }
      RESIDUA_CHECK_WORST(w, name(kernels.set) << " n " << n);
    }
}

}  // namespace residua::test
