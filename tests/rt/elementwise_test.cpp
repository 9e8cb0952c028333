// Elementwise operations and reductions against plain loops: wrong tails, accumulate that assigns, writes beyond rows.
#define BOOST_TEST_MODULE rt_elementwise
#include "testing.hpp"

namespace residua::test {

template <class Real>
struct operation {
  std::string_view name;
  void (*run)(rt::functions<Real> const&, matrix<Real const> a, matrix<Real const> b, Real const* v, matrix<Real> y);
  Real (*value)(Real a, Real b, Real v);
};

#define RESIDUA_OPERATION(operation_name, arguments, formula)                     \
  operation<Real> {                                                               \
    #operation_name,                                                              \
        [](auto const& k, auto a, auto b, auto v, auto y) {                       \
          (void)a, (void)b, (void)v;                                              \
          k.operation_name arguments;                                             \
        },                                                                        \
        [](Real a, Real b, Real v) { return (void)a, (void)b, (void)v, formula; } \
  }

template <class Real>
std::vector<operation<Real>> operations() {
  return {RESIDUA_OPERATION(zero, (y), Real(0)),
          RESIDUA_OPERATION(copy, (a, y), a),
          RESIDUA_OPERATION(accumulate, (a, y), Real(0.5) + a),
          RESIDUA_OPERATION(add, (a, b, y), a + b),
          RESIDUA_OPERATION(subtract, (a, b, y), a - b),
          RESIDUA_OPERATION(hadamard, (a, b, y), a * b),
          RESIDUA_OPERATION(scale, (Real(0.75), a, y), Real(0.75) * a),
          RESIDUA_OPERATION(scale_columns, (v, a, y), v * a),
          RESIDUA_OPERATION(repeat, (v, y), v),
          RESIDUA_OPERATION(shift, (Real(1), a, Real(0.75), y), a + Real(0.75)),
          RESIDUA_OPERATION(shift, (Real(-1), a, Real(0.75), y), Real(0.75) - a),
          RESIDUA_OPERATION(shift_columns, (Real(1), a, Real(1), v, y), a + v),
          RESIDUA_OPERATION(shift_columns, (Real(1), a, Real(-1), v, y), a - v),
          RESIDUA_OPERATION(shift_columns, (Real(-1), a, Real(1), v, y), v - a)};
}

BOOST_AUTO_TEST_CASE_TEMPLATE(against_loops, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index m : {0, 1, 3})
      for (index n : {index{0}, index{1}, kernels.lanes - 1, kernels.lanes, kernels.lanes + 1, 4 * kernels.lanes + 3, index{67},
                      index{768}}) {
        numbers random(static_cast<std::uint64_t>(m + n));
        guarded<Real> const a(m, n, random), b(m, n, random), v(1, n, random);
        for (auto const& f : operations<Real>()) {
          guarded<Real> y(m, n);
          y.fill(0.5);
          f.run(kernels, a.view(), b.view(), v.view().data, y.view());
          worst w;
          for (index i = 0; i < m; ++i)
            for (index j = 0; j < n; ++j) {
              double const expected = static_cast<double>(f.value(a.at(i, j), b.at(i, j), v.at(0, j)));
              w.compare(static_cast<double>(y.at(i, j)), expected, epsilon_of<Real>, place(i, j));
            }
          RESIDUA_CHECK_WORST(w, name(kernels.set) << " " << f.name << " m " << m << " n " << n);
          BOOST_TEST(y.padding_untouched());
        }
        double sum = 0, of_a = 0;
        std::vector<double> columns(static_cast<std::size_t>(n), 0.25);
        guarded<Real> gv(1, n);
        gv.fill(0.25);
        kernels.accumulate_column_dots(a.view(), b.view(), gv.view().data);
        for (index i = 0; i < m; ++i)
          for (index j = 0; j < n; ++j) {
            double const product = static_cast<double>(a.at(i, j)) * static_cast<double>(b.at(i, j));
            sum += product;
            of_a += static_cast<double>(a.at(i, j));
            columns[static_cast<std::size_t>(j)] += product;
          }
        worst w;
        w.compare(static_cast<double>(kernels.dot(a.view(), b.view())), sum,
                  epsilon_of<Real> * static_cast<double>(8 + m * n / 8), "dot");
        w.compare(static_cast<double>(kernels.sum(a.view())), of_a, epsilon_of<Real> * static_cast<double>(8 + m * n / 8), "sum");
        for (index j = 0; j < n; ++j)
          w.compare(static_cast<double>(gv.at(0, j)), columns[static_cast<std::size_t>(j)], 8 * epsilon_of<Real>, place(0, j));
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " m " << m << " n " << n);
      }
}

/// What each sequence has one row of: tiles that begin and end within a sequence.
BOOST_AUTO_TEST_CASE_TEMPLATE(rows_of_sequences_against_loops, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index length : {1, 3, 5})
      for (index n : {index{1}, kernels.lanes - 1, kernels.lanes + 1, index{67}}) {
        index const sequences = 4, all = sequences * length;
        numbers random(static_cast<std::uint64_t>(length + n));
        guarded<Real> const c(sequences, n, random), g(all, n, random);
        rt::token_layout const tokens{.tokens = length};
        worst w;
        for (index first : {index{0}, index{1}, all / 2}) {
          guarded<Real> y(all - first, n);
          kernels.repeat_sequences(tokens, first, c.view(), y.view());
          for (index i = 0; i < y.rows(); ++i)
            for (index j = 0; j < n; ++j)
              w.compare(static_cast<double>(y.at(i, j)), static_cast<double>(c.at((first + i) / length, j)), 0, place(i, j));
          BOOST_TEST(y.padding_untouched());
        }
        for (index first : {0, 1}) {
          guarded<Real> sums(sequences - first, n);
          kernels.sum_sequences(tokens, first, g.view(), sums.view());
          for (index s = 0; s < sums.rows(); ++s)
            for (index j = 0; j < n; ++j) {
              double sum = 0;
              for (index t = 0; t < length; ++t) sum += static_cast<double>(g.at((first + s) * length + t, j));
              w.compare(static_cast<double>(sums.at(s, j)), sum, 8 * epsilon_of<Real>, "sum" + place(s, j));
            }
          BOOST_TEST(sums.padding_untouched());
        }
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " length " << length << " n " << n);
      }
}

/// What has one number for each row.
BOOST_AUTO_TEST_CASE_TEMPLATE(numbers_of_rows_against_loops, Real, scalars) {
  for (auto const& kernels : kernel_tables<Real>())
    for (index m : {0, 1, 3})
      for (index n :
           {index{1}, kernels.lanes - 1, kernels.lanes, kernels.lanes + 1, 4 * kernels.lanes + 3, index{67}, index{768}}) {
        numbers random(static_cast<std::uint64_t>(m + n));
        guarded<Real> const a(m, n, random), b(m, n, random), s(m, 1, random);
        guarded<Real> scaled(m, n), dots(m, 1), means(m, 1), spread(m, n);
        kernels.scale_rows(s.view(), a.view(), scaled.view());
        kernels.row_dots(a.view(), b.view(), dots.view());
        kernels.row_means(a.view(), means.view());
        kernels.spread_means(s.view(), spread.view());
        worst w;
        for (index i = 0; i < m; ++i) {
          double dot = 0, sum = 0;
          double const number = static_cast<double>(s.at(i, 0)), width = static_cast<double>(n);
          for (index j = 0; j < n; ++j) {
            double const x = static_cast<double>(a.at(i, j));
            dot += x * static_cast<double>(b.at(i, j));
            sum += x;
            w.compare(static_cast<double>(scaled.at(i, j)), number * x, epsilon_of<Real>, "scaled" + place(i, j));
            w.compare(static_cast<double>(spread.at(i, j)), number / width, epsilon_of<Real>, "spread" + place(i, j));
          }
          double const tolerance = epsilon_of<Real> * (8 + width / 8);
          w.compare(static_cast<double>(dots.at(i, 0)), dot, tolerance, "dot" + place(i, 0));
          w.compare(static_cast<double>(means.at(i, 0)), sum / width, tolerance, "mean" + place(i, 0));
        }
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " m " << m << " n " << n);
        BOOST_TEST((scaled.padding_untouched() && dots.padding_untouched() && means.padding_untouched()));
        BOOST_TEST(spread.padding_untouched());
      }
}

}  // namespace residua::test
