// What is done with a product while it is still in the cache: bias, activation, residual addition. Parts are data, so one
// compiled product serves every block; each goes over the block of sums that the micro-kernel has just left. Needs no SIMD.
#pragma once

#include <residua/rt/core/activation.hpp>
#include <residua/rt/core/matrix.hpp>

#include <initializer_list>

namespace residua::rt {

/// One part of an epilogue: what becomes of the sums s. Made by the functions below.
template <class Real>
struct epilogue_part {
  enum class step : unsigned char {
    plus_vector,
    plus,
    minus,
    subtracted_from,
    times,
    scaled,
    scaled_columns,
    scaled_rows,
    shifted,
    activated,
    sloped,
    kept,
  };
  step what;
  activation function{};
  Real number{};
  Real const* vector = nullptr;
  matrix<Real const> read{};
  matrix<Real> written{};
};

/// The parts from left to right; none: the product itself.
template <class Real>
struct epilogue {
  epilogue_part<Real> const* parts = nullptr;
  index count = 0;

  [[gnu::always_inline]] epilogue() {}
  [[gnu::always_inline]] epilogue(epilogue_part<Real> const* first, index parts_given) : parts(first), count(parts_given) {}
  /// For the call that it stands in: {plus_vector(bias), activated<Real>(activation::silu)}.
  [[gnu::always_inline]] epilogue(std::initializer_list<epilogue_part<Real>> const& list)
      : count(static_cast<index>(list.size())) {
    parts = list.begin();  // the list, a reference's, lives as long as the call
  }
};

namespace detail {

/// A part that reads a matrix of the product's shape.
template <class Real>
[[gnu::always_inline]] inline epilogue_part<std::remove_const_t<Real>> reading(
    matrix<Real> const& m, typename epilogue_part<std::remove_const_t<Real>>::step what) {
  return {.what = what, .read = m};
}

template <class Real>
using step_of = typename epilogue_part<std::remove_const_t<Real>>::step;

}  // namespace detail

/// s + v, v over the columns: a bias.
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> plus_vector(Real const* v) {
  return {.what = detail::step_of<Real>::plus_vector, .vector = v};
}

/// s + m: a residual addition.
template <class Real>
[[gnu::always_inline]] inline auto plus(matrix<Real> const& m) {
  return detail::reading(m, detail::step_of<Real>::plus);
}

/// s - m
template <class Real>
[[gnu::always_inline]] inline auto minus(matrix<Real> const& m) {
  return detail::reading(m, detail::step_of<Real>::minus);
}

/// m - s
template <class Real>
[[gnu::always_inline]] inline auto subtracted_from(matrix<Real> const& m) {
  return detail::reading(m, detail::step_of<Real>::subtracted_from);
}

/// s .* m
template <class Real>
[[gnu::always_inline]] inline auto times(matrix<Real> const& m) {
  return detail::reading(m, detail::step_of<Real>::times);
}

/// c s
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> scaled(Real c) {
  return {.what = detail::step_of<Real>::scaled, .number = c};
}

/// v .* s, v over the columns
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> scaled_columns(Real const* v) {
  return {.what = detail::step_of<Real>::scaled_columns, .vector = v};
}

/// r .* s, r a number for each row, (m, 1)
template <class Real>
[[gnu::always_inline]] inline auto scaled_rows(matrix<Real> const& r) {
  return detail::reading(r, detail::step_of<Real>::scaled_rows);
}

/// s + c
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> shifted(Real c) {
  return {.what = detail::step_of<Real>::shifted, .number = c};
}

/// f(s)
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> activated(activation f) {
  return {.what = detail::step_of<Real>::activated, .function = f};
}

/// f'(m) .* s
template <class Real>
[[gnu::always_inline]] inline auto sloped(activation f, matrix<Real> const& m) {
  auto part = detail::reading(m, detail::step_of<Real>::sloped);
  part.function = f;
  return part;
}

/// s, written to m on the way
template <class Real>
[[gnu::always_inline]] inline epilogue_part<Real> kept(matrix<Real> const& m) {
  return {.what = detail::step_of<Real>::kept, .written = m};
}

}  // namespace residua::rt
