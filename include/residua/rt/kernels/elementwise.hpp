// Sums, scalings and products of equal shapes, and their reductions; every matrix is (m, n), every vector is over columns.
#pragma once

#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/reduce.hpp>
#include <residua/rt/core/simd.hpp>

namespace residua::rt {

namespace detail {

/// y(i, j) = value(i, j, count), register by register.
template <class Arch, class Real, class Value>
[[gnu::always_inline]] inline void fill(matrix<Real> y, Value const& value) {
  for (index i = 0; i < y.rows; ++i)
    for_each_register<Arch, Real>(y.columns, [&](index j, index count) __attribute__((always_inline)) {
      rt::store<Arch>(y.row(i) + j, value(i, j, count), count);
    });
}

}  // namespace detail

/// y = 0.  y: (m, n)
template <class Arch, class Real>
void zero(matrix<Real> y) {
  detail::fill<Arch>(y, [](index, index, index) __attribute__((always_inline)) { return batch<Real, Arch>(Real(0)); });
}

/// y = x
template <class Arch, class Real>
void copy(matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  detail::fill<Arch>(
      y, [&](index i, index j, index count) __attribute__((always_inline)) { return rt::load<Arch>(x.row(i) + j, count); });
}

/// y += x
template <class Arch, class Real>
void accumulate(matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return rt::load<Arch>(y.row(i) + j, count) + rt::load<Arch>(x.row(i) + j, count);
  });
}

/// y = a + b
template <class Arch, class Real>
void add(matrix<std::type_identity_t<Real> const> a, matrix<std::type_identity_t<Real> const> b, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return rt::load<Arch>(a.row(i) + j, count) + rt::load<Arch>(b.row(i) + j, count);
  });
}

/// y = a - b
template <class Arch, class Real>
void subtract(matrix<std::type_identity_t<Real> const> a, matrix<std::type_identity_t<Real> const> b, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return rt::load<Arch>(a.row(i) + j, count) - rt::load<Arch>(b.row(i) + j, count);
  });
}

/// y = c x, c a number
template <class Arch, class Real>
void scale(std::type_identity_t<Real> c, matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  batch<Real, Arch> const factor(c);
  detail::fill<Arch>(y, [&](index i, index j, index count)
                            __attribute__((always_inline)) { return factor * rt::load<Arch>(x.row(i) + j, count); });
}

/// y(i, j) = v(j) x(i, j)
template <class Arch, class Real>
void scale_columns(std::type_identity_t<Real> const* v, matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return rt::load<Arch>(v + j, count) * rt::load<Arch>(x.row(i) + j, count);
  });
}

/// y(i, j) = v(j)
template <class Arch, class Real>
void repeat(std::type_identity_t<Real> const* v, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index, index j, index count) __attribute__((always_inline)) { return rt::load<Arch>(v + j, count); });
}

/// y = s x + c, c a number, s 1 or -1
template <class Arch, class Real>
void shift(std::type_identity_t<Real> s, matrix<std::type_identity_t<Real> const> x, std::type_identity_t<Real> c,
           matrix<Real> y) {
  batch<Real, Arch> const sign(s), term(c);
  detail::fill<Arch>(y, [&](index i, index j, index count)
                            __attribute__((always_inline)) { return sign * rt::load<Arch>(x.row(i) + j, count) + term; });
}

/// y(i, j) = s x(i, j) + r v(j), s and r 1 or -1
template <class Arch, class Real>
void shift_columns(std::type_identity_t<Real> s, matrix<std::type_identity_t<Real> const> x, std::type_identity_t<Real> r,
                   std::type_identity_t<Real> const* v, matrix<Real> y) {
  batch<Real, Arch> const sign(s), sign_of_v(r);
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return sign * rt::load<Arch>(x.row(i) + j, count) + sign_of_v * rt::load<Arch>(v + j, count);
  });
}

/// y = a .* b
template <class Arch, class Real>
void hadamard(matrix<std::type_identity_t<Real> const> a, matrix<std::type_identity_t<Real> const> b, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index j, index count) __attribute__((always_inline)) {
    return rt::load<Arch>(a.row(i) + j, count) * rt::load<Arch>(b.row(i) + j, count);
  });
}

/// y(i, j) = s(i) x(i, j).  s: (m, 1)
template <class Arch, class Real>
void scale_rows(matrix<std::type_identity_t<Real> const> s, matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  for (index i = 0; i < y.rows; ++i) rt::scale<Arch, Real>(*s.row(i), x.rows_from(i, 1), y.rows_from(i, 1));
}

/// y(i) = sum_j a(i, j) b(i, j).  y: (m, 1)
template <class Arch, class Real>
void row_dots(matrix<std::type_identity_t<Real> const> a, matrix<std::type_identity_t<Real> const> b, matrix<Real> y) {
  for (index i = 0; i < y.rows; ++i) *y.row(i) = detail::row_dot<Arch, Real>(a.row(i), b.row(i), a.columns);
}

/// y(i) = sum_j x(i, j) / n.  y: (m, 1)
template <class Arch, class Real>
void row_means(matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  for (index i = 0; i < y.rows; ++i) *y.row(i) = detail::row_sum<Arch, Real>(x.row(i), x.columns) / static_cast<Real>(x.columns);
}

/// y(i, j) = g(i) / n, the adjoint of row_means.  g: (m, 1)
template <class Arch, class Real>
void spread_means(matrix<std::type_identity_t<Real> const> g, matrix<Real> y) {
  detail::fill<Arch>(y, [&](index i, index, index) __attribute__((always_inline)) {
    return batch<Real, Arch>(*g.row(i) / static_cast<Real>(y.columns));
  });
}

/// sum_ij a(i, j), in the order of dot.
template <class Arch, class Real>
Real sum(matrix<Real const> a) {
  Real sum = 0;
  for (index i = 0; i < a.rows; ++i) sum += detail::row_sum<Arch>(a.row(i), a.columns);
  return sum;
}

/// sum_ij a(i, j) b(i, j): the sums of the rows, each in a fixed order, added in the order of the rows.
template <class Arch, class Real>
Real dot(matrix<Real const> a, matrix<Real const> b) {
  Real sum = 0;
  for (index i = 0; i < a.rows; ++i) sum += detail::row_dot<Arch>(a.row(i), b.row(i), a.columns);
  return sum;
}

/// gv(j) += sum_i a(i, j) b(i, j), in the order of i
template <class Arch, class Real>
void accumulate_column_dots(matrix<std::type_identity_t<Real> const> a, matrix<std::type_identity_t<Real> const> b, Real* gv) {
  for_each_register<Arch, Real>(a.columns, [&](index j, index count) __attribute__((always_inline)) {
    batch<Real, Arch> sum = rt::load<Arch>(gv + j, count);
    for (index i = 0; i < a.rows; ++i)
      sum = multiply_add(rt::load<Arch>(a.row(i) + j, count), rt::load<Arch>(b.row(i) + j, count), sum);
    rt::store<Arch>(gv + j, sum, count);
  });
}

}  // namespace residua::rt
