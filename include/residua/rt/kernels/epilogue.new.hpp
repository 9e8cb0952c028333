// What is done with a product while it is still in the cache: bias, activation, residual addition. Parts are data, so one
// compiled product serves every block; each goes over the block of sums that the micro-kernel has just left.
#pragma once

#include <residua/rt/core/activation.hpp>
#include <residua/rt/core/matrix.hpp>

#include <initializer_list>

namespace residua::rt {

/// One part of an epilogue: what becomes of the sums s.
template <class Real>
struct epilogue_part {
  enum class step : unsigned char {
    plus_vector,      // s + v, v over the columns: a bias
    plus,             // s + m: a residual addition
    minus,            // s - m
    subtracted_from,  // m - s
    times,            // s .* m
    scaled,           // c s
    scaled_columns,   // v .* s, v over the columns
    activated,        // f(s)
    sloped,           // f'(m) .* s
    kept,             // s, written to m on the way
  };
  step what = step::kept;
  activation function{};
  Real number = 0;
  Real const* vector = nullptr;
  matrix<Real> other{};  // read, and written by `kept` alone
};

/// The parts from left to right; none: the product itself.
template <class Real>
struct epilogue {
  epilogue_part<Real> const* parts = nullptr;
  index count = 0;

  [[gnu::always_inline]] epilogue() = default;
  [[gnu::always_inline]] epilogue(epilogue_part<Real> const* first, index parts_given) : parts(first), count(parts_given) {}
  /// For the call that it stands in: {plus_vector(bias), activated<Real>(activation::silu)}.
  [[gnu::always_inline]] epilogue(std::initializer_list<epilogue_part<Real>> const& list)
      : parts(list.begin()), count(static_cast<index>(list.size())) {}
};

}  // namespace residua::rt
