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
          RESIDUA_OPERATION(scale_columns, (v, a, y), v * a)};
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
        double sum = 0;
        std::vector<double> columns(static_cast<std::size_t>(n), 0.25);
        guarded<Real> gv(1, n);
        gv.fill(0.25);
        kernels.accumulate_column_dots(a.view(), b.view(), gv.view().data);
        for (index i = 0; i < m; ++i)
          for (index j = 0; j < n; ++j) {
            double const product = static_cast<double>(a.at(i, j)) * static_cast<double>(b.at(i, j));
            sum += product;
            columns[static_cast<std::size_t>(j)] += product;
          }
        worst w;
        w.compare(static_cast<double>(kernels.dot(a.view(), b.view())), sum,
                  epsilon_of<Real> * static_cast<double>(8 + m * n / 8), "dot");
        for (index j = 0; j < n; ++j)
          w.compare(static_cast<double>(gv.at(0, j)), columns[static_cast<std::size_t>(j)], 8 * epsilon_of<Real>, place(0, j));
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " m " << m << " n " << n);
      }
}

}  // namespace residua::test
