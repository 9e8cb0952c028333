// Activations and their derivatives. Each is a type with value(x) = f(x) and derivative(x) = f'(x) on registers.
// Accuracy: a few ulp of max(1, |y|); NaN stays NaN in its own lane; at infinity each has its limit.
#pragma once

#include <residua/rt/core/activation.hpp>
#include <residua/rt/core/math.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>

namespace residua::rt {

namespace detail {

template <class Batch>
[[gnu::always_inline]] inline Batch constant(double value) {
  return Batch(static_cast<typename Batch::value_type>(value));
}

/// max(x, 0), NaN kept.
template <class Batch>
[[gnu::always_inline]] inline Batch positive_part(Batch const& x) {
  return xsimd::select(x < constant<Batch>(0), constant<Batch>(0), x);
}

/// x where it is within [-1e4, 1e4], where every exp(-|x|) is 0 already, else the nearer end; NaN kept.
template <class Batch>
[[gnu::always_inline]] inline Batch bounded(Batch const& x) {
  Batch const most = constant<Batch>(1e4);
  return xsimd::min(most, xsimd::max(-most, x));  // of these two, the second where one is NaN
}

/// sigmoid(x) and sigmoid'(x) from e = exp(-|x|), which neither overflows nor cancels.
template <class Batch>
struct logistic {
  Batch value;
  Batch derivative;

  [[gnu::always_inline]] explicit logistic(Batch const& x) {
    Batch const one = constant<Batch>(1), e = exp_of_nonpositive(-xsimd::abs(x)), reciprocal = divide(one, one + e);
    value = xsimd::select(x < constant<Batch>(0), e * reciprocal, reciprocal);
    derivative = e * reciprocal * reciprocal;
  }

  /// sigmoid(x)
  [[gnu::always_inline]] static Batch of(Batch const& x) {
    Batch const one = constant<Batch>(1), e = exp_of_nonpositive(-xsimd::abs(x));
    return divide(xsimd::select(x < constant<Batch>(0), e, one), one + e);
  }

  /// factor * sigmoid(x) with one division. Where x is negative the factor is bounded: infinity times 0 is 0 here.
  [[gnu::always_inline]] static Batch times(Batch const& factor, Batch const& x) {
    Batch const one = constant<Batch>(1), e = exp_of_nonpositive(-xsimd::abs(x));
    Batch const low = xsimd::max(factor, constant<Batch>(-1e4)) * e;
    return divide(xsimd::select(x < constant<Batch>(0), low, factor), one + e);
  }
};

}  // namespace detail

namespace activations {

/// tanh(x); derivative 1 - tanh(x)^2 = 4 e / (1 + e)^2, e = exp(-2 |x|).
struct tanh {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::tanh(x);
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    return detail::constant<Batch>(4) * detail::logistic<Batch>(x + x).derivative;
  }
};

/// max(x, 0); derivative 1 for x > 0, 0 for x <= 0.
struct relu {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::positive_part(x);
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    Batch const zero = detail::constant<Batch>(0);
    return xsimd::select(x > zero, detail::constant<Batch>(1), xsimd::select(x <= zero, zero, x));
  }
};

/// max(x, 0)^2; derivative 2 max(x, 0). Source: Primer, 2109.08668.
struct relu_squared {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    Batch const p = detail::positive_part(x);
    return p * p;
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    Batch const p = detail::positive_part(x);
    return p + p;
  }
};

/// x Phi(x), computed as max(x, 0) - |x| q(|x|); derivative Phi(x) + x phi(x). Source: Hendrycks & Gimpel, 1606.08415.
struct gelu_erf {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    Batch const t = xsimd::abs(x);
    return detail::positive_part(x) - xsimd::select(t > beyond<Batch>(), detail::constant<Batch>(0), t * detail::normal_tail(t));
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    Batch const zero = detail::constant<Batch>(0), t = xsimd::abs(x), q = detail::normal_tail(t);
    Batch const density = detail::exp_of_nonpositive(detail::constant<Batch>(-0.5) * t * t);
    Batch const slope = x * density * detail::constant<Batch>(0.39894228040143267794);
    return xsimd::select(x < zero, q, detail::constant<Batch>(1) - q) + xsimd::select(t > beyond<Batch>(), zero, slope);
  }

 private:
  /// Where x q(x) and x phi(x) are 0, so that infinity times 0 never is.
  template <class Batch>
  [[gnu::always_inline]] static Batch beyond() {
    return detail::constant<Batch>(38);
  }
};

/// x (1 + tanh u) / 2 = x sigmoid(2 u), u = sqrt(2/pi) (x + 0.044715 x^3);
/// derivative sigmoid(2 u) + x sigmoid'(2 u) 2 u'. Source: Hendrycks & Gimpel, 1606.08415.
struct gelu_tanh {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::logistic<Batch>::times(x, twice_u(x, x * x));
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    Batch const t = detail::bounded(x), square = t * t;
    detail::logistic<Batch> const s(twice_u(t, square));
    Batch const slope = multiply_add(square, detail::constant<Batch>(3 * cubic), detail::constant<Batch>(linear));
    return multiply_add(t * s.derivative, slope, s.value);
  }

 private:
  static constexpr double linear = 1.59576912160573071176;  // 2 sqrt(2 / pi)
  static constexpr double cubic = 0.044715 * linear;

  template <class Batch>
  [[gnu::always_inline]] static Batch twice_u(Batch const& x, Batch const& square) {
    return x * multiply_add(square, detail::constant<Batch>(cubic), detail::constant<Batch>(linear));
  }
};

/// x sigmoid(x); derivative s + x s (1 - s). Source: Elfwing, Uchibe & Doya, 1702.03118.
struct silu {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::logistic<Batch>::times(x, x);
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    Batch const t = detail::bounded(x);
    detail::logistic<Batch> const s(t);
    return multiply_add(t, s.derivative, s.value);
  }
};

/// 1 / (1 + exp(-x)); derivative s (1 - s).
struct sigmoid {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::logistic<Batch>::of(x);
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    return detail::logistic<Batch>(x).derivative;
  }
};

/// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)); derivative sigmoid(x).
struct softplus {
  template <class Batch>
  [[gnu::always_inline]] static Batch value(Batch x) {
    return detail::positive_part(x) + detail::log1p_of_unit(detail::exp_of_nonpositive(-xsimd::abs(x)));
  }
  template <class Batch>
  [[gnu::always_inline]] static Batch derivative(Batch x) {
    return detail::logistic<Batch>::of(x);
  }
};

}  // namespace activations

/// Calls body with an object of the activation's type.
template <class Body>
[[gnu::always_inline]] inline void with_function(activation f, Body const& body) {
  switch (f) {
#define RESIDUA_CASE(NAME) \
  case activation::NAME: return body(activations::NAME{});
    RESIDUA_ACTIVATIONS(RESIDUA_CASE)
#undef RESIDUA_CASE
  }
}

namespace detail {

/// y = f(x) and dy = f'(x) .* dx where columns are whole registers.
template <class Arch, class Real>
void activate_registers(activation f, matrix<Real const> x, matrix<Real> y) {
  with_function(f, [x, y](auto function) __attribute__((always_inline)) {
    for (index i = 0; i < y.rows; ++i) {
      Real const* const from = x.row(i);
      Real* const to = y.row(i);
      for (index j = 0, n = y.columns; j < n; j += lanes<Real, Arch>)
        rt::store<Arch>(to + j, decltype(function)::value(rt::load<Arch>(from + j)));
    }
  });
}
template <class Arch, class Real>
void slope_registers(activation f, matrix<Real const> x, matrix<Real const> dx, matrix<Real> dy) {
  with_function(f, [x, dx, dy](auto function) __attribute__((always_inline)) {
    for (index i = 0; i < dy.rows; ++i) {
      Real const* const at = x.row(i);
      Real const* const along = dx.row(i);
      Real* const to = dy.row(i);
      for (index j = 0, n = dy.columns; j < n; j += lanes<Real, Arch>)
        rt::store<Arch>(to + j, decltype(function)::derivative(rt::load<Arch>(at + j)) * rt::load<Arch>(along + j));
    }
  });
}

/// The columns beyond the last whole register of a row, copied to memory for one.
template <class Arch, class Real>
struct last_register {
  alignas(64) Real lane[lanes<Real, Arch>];

  [[gnu::always_inline]] explicit last_register(Real const* from, index count) {
    rt::load<Arch>(from, count).store_aligned(lane);
  }
  [[gnu::always_inline]] matrix<Real> view() { return as_row(lane, lanes<Real, Arch>); }
  [[gnu::always_inline]] void copy_to(Real* to, index count) const {
    rt::store<Arch>(to, batch<Real, Arch>::load_aligned(lane), count);
  }
};

}  // namespace detail

/// y = f(x).  x, y: (m, n), y may be x.
template <class Arch, class Real>
void activate(activation f, matrix<Real const> x, matrix<Real> y) {
  index const rest = y.columns % lanes<Real, Arch>, whole = y.columns - rest;
  detail::activate_registers<Arch, Real>(f, x.columns_from(0, whole), y.columns_from(0, whole));
  for (index i = 0; rest > 0 && i < y.rows; ++i) {
    detail::last_register<Arch, Real> last(x.row(i) + whole, rest);
    detail::activate_registers<Arch, Real>(f, last.view(), last.view());
    last.copy_to(y.row(i) + whole, rest);
  }
}

/// dy = f'(x) .* dx, and so is the adjoint.  x, dx, dy: (m, n), dy may be dx.
template <class Arch, class Real>
void slope(activation f, matrix<Real const> x, matrix<Real const> dx, matrix<Real> dy) {
  index const rest = dy.columns % lanes<Real, Arch>, whole = dy.columns - rest;
  detail::slope_registers<Arch, Real>(f, x.columns_from(0, whole), dx.columns_from(0, whole), dy.columns_from(0, whole));
  for (index i = 0; rest > 0 && i < dy.rows; ++i) {
    detail::last_register<Arch, Real> at(x.row(i) + whole, rest), last(dx.row(i) + whole, rest);
    detail::slope_registers<Arch, Real>(f, at.view(), last.view(), last.view());
    last.copy_to(dy.row(i) + whole, rest);
  }
}

}  // namespace residua::rt
