// What layer norm and RMS norm know of a row. Computed again from x by every kernel; nothing is saved between forward and
// backward.
#pragma once

#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/reduce.hpp>
#include <residua/rt/core/simd.hpp>

#include <cmath>
#include <limits>

namespace residua::rt::detail {

/// 1 / sqrt(square + epsilon)
template <class Arch, class Real>
[[gnu::always_inline]] inline Real reciprocal_root(Real square, Real epsilon) {
  return Real(1) / xsimd::sqrt(batch<Real, Arch>(square + epsilon)).get(0);
}

/// Whether squares of the row and epsilon are numbers that Real holds. Where one is not, the row is multiplied by a power of
/// two first; a NaN in it takes this way too, and stays.
template <class Real>
[[gnu::always_inline]] inline bool in_range(Real square, Real epsilon) {
  constexpr Real most = std::numeric_limits<Real>::max(), least = std::numeric_limits<Real>::min();
  return square <= most && epsilon >= least;
}

/// A power of two that brings the largest number of a row near 1, as far as Real has it.
template <class Arch, class Real>
[[gnu::noinline]] Real scale_of_row(Real const* x, index n) {
  batch<Real, Arch> largest(Real(0));
  for_each_register<Arch, Real>(n, [&](index j, index count) __attribute__((always_inline)) {
    largest = xsimd::max(xsimd::abs(rt::load<Arch>(x + j, count)), largest);
  });
  int exponent = 0;
  static_cast<void>(std::frexp(static_cast<double>(rt::reduce_max(largest)), &exponent));
  constexpr int most = std::numeric_limits<Real>::max_exponent - 2;
  return static_cast<Real>(std::ldexp(1.0, exponent < -most ? most : exponent > most ? -most : -exponent));
}

/// 1 / sqrt(square + scale^2 epsilon) in double, the largest number of Real at most.
template <class Real>
[[gnu::always_inline]] inline Real reciprocal_root(Real square, Real scale, double epsilon) {
  double const factor = static_cast<double>(scale);
  double const root = std::sqrt(static_cast<double>(square) + epsilon * factor * factor);
  constexpr double most = static_cast<double>(std::numeric_limits<Real>::max());
  return static_cast<Real>(root * most < 1 ? most : 1 / root);
}

/// What a norm knows of a row: x is normalised to ((x factor - mean) - shift) scale, where factor is 1 but for rows out of range,
/// shift is the rounding error of mean, and scale is 1 / s of x factor.
template <class Real>
struct row_numbers {
  Real factor, mean, shift, scale;
};

/// The variance of x factor, and the mean's rounding error: the second pass over the row corrects the mean of the first, so
/// that mean 4e4 costs no digits.
template <class Real>
struct centred {
  Real variance, shift;
};
template <class Arch, class Real>
[[gnu::always_inline]] inline centred<Real> centre(Real const* x, index n, Real factor, Real mean) {
  batch<Real, Arch> const each(factor), less(-mean);
  Real const per_element = Real(1) / static_cast<Real>(n);
  running_sum<Arch, Real> rest, square;
  for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
    batch<Real, Arch> const c = keep_first<Arch>(multiply_add(rt::load<Arch>(x + j, count), each, less), count);
    rest.part[which] += c;
    square.part[which] = multiply_add(c, c, square.part[which]);
  });
  Real const error = rest.total() * per_element;
  Real const variance = square.total() * per_element - error * error;
  // Written so that a NaN stays: only a negative rounding error of the variance becomes 0.
  return {variance < Real(0) ? Real(0) : variance, error};
}

/// The numbers of a row out of range. The mean is taken as a difference from the first element: the variance of a row of equal
/// numbers is 0 exactly.
template <class Arch, class Real>
[[gnu::noinline]] row_numbers<Real> layer_numbers_out_of_range(Real const* x, index n, double epsilon) {
  Real const factor = scale_of_row<Arch>(x, n), first = x[0] * factor;
  batch<Real, Arch> const each(factor), less(-first);
  running_sum<Arch, Real> sum;
  for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
    sum.part[which] += keep_first<Arch>(multiply_add(rt::load<Arch>(x + j, count), each, less), count);
  });
  Real const mean = first + sum.total() / static_cast<Real>(n);
  centred<Real> const row = centre<Arch>(x, n, factor, mean);
  return {factor, mean, row.shift, reciprocal_root(row.variance, factor, epsilon)};
}
template <class Arch, class Real>
[[gnu::noinline]] row_numbers<Real> rms_numbers_out_of_range(Real const* x, index n, double epsilon) {
  Real const factor = scale_of_row<Arch>(x, n);
  batch<Real, Arch> const each(factor);
  running_sum<Arch, Real> square;
  for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
    batch<Real, Arch> const value = rt::load<Arch>(x + j, count) * each;
    square.part[which] = multiply_add(value, value, square.part[which]);
  });
  return {factor, 0, 0, reciprocal_root(square.total() / static_cast<Real>(n), factor, epsilon)};
}

/// A row of a layer norm in range.
template <class Arch, class Real>
struct layer_statistics {
  batch<Real, Arch> less, shift, scale;

  [[gnu::always_inline]] explicit layer_statistics(row_numbers<Real> const& row)
      : less(-row.mean), shift(row.shift), scale(row.scale) {}

  [[gnu::always_inline]] static row_numbers<Real> numbers(Real const* x, index n, double epsilon) {
    running_sum<Arch, Real> sum;
    for_each_part<Arch, Real>(n, [&](index j, index count, index which)
                                     __attribute__((always_inline)) { sum.part[which] += rt::load<Arch>(x + j, count); });
    Real const mean = sum.total() / static_cast<Real>(n), added = static_cast<Real>(epsilon);
    centred<Real> const row = centre<Arch>(x, n, Real(1), mean);
    if (!in_range(row.variance, added)) return layer_numbers_out_of_range<Arch>(x, n, epsilon);
    return {1, mean, row.shift, reciprocal_root<Arch>(row.variance, added)};
  }

  /// The normalised element, (x - mean) / s.
  [[gnu::always_inline]] batch<Real, Arch> normalise(batch<Real, Arch> const& x) const { return ((x + less) - shift) * scale; }
  /// value / s
  [[gnu::always_inline]] batch<Real, Arch> divide(batch<Real, Arch> const& value) const { return value * scale; }
};

/// A row of an RMS norm in range.
template <class Arch, class Real>
struct rms_statistics {
  batch<Real, Arch> scale;

  [[gnu::always_inline]] explicit rms_statistics(row_numbers<Real> const& row) : scale(row.scale) {}

  [[gnu::always_inline]] static row_numbers<Real> numbers(Real const* x, index n, double epsilon) {
    Real const square = row_dot<Arch>(x, x, n) / static_cast<Real>(n), added = static_cast<Real>(epsilon);
    if (!in_range(square, added)) return rms_numbers_out_of_range<Arch>(x, n, epsilon);
    return {1, 0, 0, reciprocal_root<Arch>(square, added)};
  }

  /// The normalised element, x / r with r^2 = mean x^2 + epsilon.
  [[gnu::always_inline]] batch<Real, Arch> normalise(batch<Real, Arch> const& x) const { return x * scale; }
  /// value / r
  [[gnu::always_inline]] batch<Real, Arch> divide(batch<Real, Arch> const& value) const { return value * scale; }
};

/// A row of either norm, out of range too. Rows in range are spared its products with 1.
template <class Arch, class Real>
struct any_statistics {
  batch<Real, Arch> factor, less, shift, scale;

  [[gnu::always_inline]] explicit any_statistics(row_numbers<Real> const& row)
      : factor(row.factor), less(-row.mean), shift(row.shift), scale(row.scale) {}

  [[gnu::always_inline]] batch<Real, Arch> normalise(batch<Real, Arch> const& x) const {
    return (multiply_add(x, factor, less) - shift) * scale;
  }
  [[gnu::always_inline]] batch<Real, Arch> divide(batch<Real, Arch> const& value) const { return value * scale * factor; }
};

/// Calls body with what the norm knows of a row.
template <template <class, class> class Statistics, class Arch, class Real, class Body>
[[gnu::always_inline]] inline void with_statistics(Real const* x, index n, double epsilon, Body const& body) {
  row_numbers<Real> const row = Statistics<Arch, Real>::numbers(x, n, epsilon);
  if (row.factor == Real(1)) body(Statistics<Arch, Real>(row));
  else body(any_statistics<Arch, Real>(row));
}

}  // namespace residua::rt::detail
