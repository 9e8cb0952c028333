// Norms, row by row: value, Jacobian-vector and vector-Jacobian products. Each is a type of its name in `norms`.
#pragma once

#include <residua/rt/core/norm.hpp>
#include <residua/rt/kernels/activation.hpp>
#include <residua/rt/kernels/norm_statistics.hpp>

namespace residua::rt {

namespace detail {

/// (offset + weight) .* value, or value where there is no weight.
template <class Arch, class Real>
[[gnu::always_inline]] inline batch<Real, Arch> gain(batch<Real, Arch> const& value, Real const* weight,
                                                     batch<Real, Arch> const& offset, index j, index count) {
  return weight ? value * (offset + rt::load<Arch>(weight + j, count)) : value;
}

/// With xh = x normalised by the row's statistics and G = diag(offset + weight):
///   y = G xh + bias
///   dy = G (dx - mean(dx) - xh mean(dx .* xh)) / s, without mean(dx) where nothing is centred
///   gx = (h - mean(h) - xh mean(h .* xh)) / s with h = G g;  gweight += sum_i g .* xh,  gbias += sum_i g
/// Parameters: weight, bias. A row with a NaN is all NaN, no other row is; rows of any finite size are normalised, whatever their
/// squares are. Source: catalogue 2.3.
template <template <class, class> class Statistics, bool Centred>
struct norm_of_rows {
  template <class Arch, class Real>
  [[gnu::always_inline]] static void value(matrix<Real const> x, norm_options<Real> const& o, matrix<Real> y) {
    Real const* const weight = o.parameters[0];
    Real const* const bias = o.parameters[1];
    batch<Real, Arch> const c(static_cast<Real>(o.offset));
    for (index i = 0; i < x.rows; ++i) {
      Real const* const from = x.row(i);
      Real* const to = y.row(i);
      with_statistics<Statistics, Arch>(from, x.columns, o.epsilon, [&](auto const& row) __attribute__((always_inline)) {
        for_each_register<Arch, Real>(x.columns, [&](index j, index count) __attribute__((always_inline)) {
          batch<Real, Arch> value = gain<Arch>(row.normalise(rt::load<Arch>(from + j, count)), weight, c, j, count);
          if (bias) value += rt::load<Arch>(bias + j, count);
          rt::store<Arch>(to + j, value, count);
        });
      });
    }
  }

  template <class Arch, class Real>
  [[gnu::always_inline]] static void jvp(matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> dx,
                                         matrix<Real> dy) {
    index const n = x.columns;
    Real const* const weight = o.parameters[0];
    batch<Real, Arch> const c(static_cast<Real>(o.offset));
    for (index i = 0; i < x.rows; ++i) {
      Real const* const from = x.row(i);
      Real const* const along = dx.row(i);
      Real* const to = dy.row(i);
      with_statistics<Statistics, Arch>(from, n, o.epsilon, [&](auto const& row) __attribute__((always_inline)) {
        running_sum<Arch, Real> sum, product;
        for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
          batch<Real, Arch> const d = rt::load<Arch>(along + j, count);
          if constexpr (Centred) sum.part[which] += d;
          product.part[which] =
              multiply_add(d, keep_first<Arch>(row.normalise(rt::load<Arch>(from + j, count)), count), product.part[which]);
        });
        batch<Real, Arch> const a(Centred ? sum.total() / static_cast<Real>(n) : Real(0));
        batch<Real, Arch> const b(product.total() / static_cast<Real>(n));
        for_each_register<Arch, Real>(n, [&](index j, index count) __attribute__((always_inline)) {
          batch<Real, Arch> value = rt::load<Arch>(along + j, count);
          if constexpr (Centred) value -= a;
          value = row.divide(value - row.normalise(rt::load<Arch>(from + j, count)) * b);
          rt::store<Arch>(to + j, gain<Arch>(value, weight, c, j, count), count);
        });
      });
    }
  }

  template <class Arch, class Real>
  [[gnu::always_inline]] static void vjp(matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> g, matrix<Real> gx,
                                         norm_gradients<Real> const& sums) {
    index const n = x.columns;
    Real const* const weight = o.parameters[0];
    Real* const gweight = sums.parameters[0];
    Real* const gbias = sums.parameters[1];
    batch<Real, Arch> const c(static_cast<Real>(o.offset));
    for (index i = 0; i < x.rows; ++i) {
      Real const* const from = x.row(i);
      Real const* const of = g.row(i);
      with_statistics<Statistics, Arch>(from, n, o.epsilon, [&](auto const& row) __attribute__((always_inline)) {
        running_sum<Arch, Real> sum, product;
        for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
          batch<Real, Arch> const gy = rt::load<Arch>(of + j, count);
          batch<Real, Arch> const h = gain<Arch>(gy, weight, c, j, count);
          batch<Real, Arch> const xh = keep_first<Arch>(row.normalise(rt::load<Arch>(from + j, count)), count);
          if constexpr (Centred) sum.part[which] += h;
          product.part[which] = multiply_add(h, xh, product.part[which]);
          if (gweight) rt::store<Arch>(gweight + j, multiply_add(gy, xh, rt::load<Arch>(gweight + j, count)), count);
          if (gbias) rt::store<Arch>(gbias + j, rt::load<Arch>(gbias + j, count) + gy, count);
        });
        if (!gx.data) return;
        Real* const to = gx.row(i);
        batch<Real, Arch> const a(Centred ? sum.total() / static_cast<Real>(n) : Real(0));
        batch<Real, Arch> const b(product.total() / static_cast<Real>(n));
        for_each_register<Arch, Real>(n, [&](index j, index count) __attribute__((always_inline)) {
          batch<Real, Arch> h = gain<Arch>(rt::load<Arch>(of + j, count), weight, c, j, count);
          if constexpr (Centred) h -= a;
          rt::store<Arch>(to + j, row.divide(h - row.normalise(rt::load<Arch>(from + j, count)) * b), count);
        });
      });
    }
  }
};

}  // namespace detail

namespace norms {

/// xh = (x - mean) / s, s = sqrt(var + epsilon). Variance in two passes, biased (1/n).
/// Source: Ba, Kiros & Hinton, 1607.06450; catalogue N1-N4.
struct layer_norm : detail::norm_of_rows<detail::layer_statistics, true> {};

/// xh = x / s, s = sqrt(mean x^2 + epsilon). Source: Zhang & Sennrich, 1910.07467; catalogue N5, N8-N10.
struct rms_norm : detail::norm_of_rows<detail::rms_statistics, false> {};

/// Dynamic tanh in the place of a norm: no statistics, each element by itself. With t = tanh(alpha x) and G as above:
///   y = G t + bias,  dy = alpha G (1 - t^2) .* dx
///   gx = alpha h with h = (1 - t^2) .* G g;  gweight += sum_i g .* t,  gbias += sum_i g,  galpha += sum_ij h .* x
/// Parameters: weight, bias, alpha, which is one number and must be there. Source: Zhu et al., 2503.10622; catalogue N16.
struct dyt {
  template <class Arch, class Real>
  [[gnu::always_inline]] static void value(matrix<Real const> x, norm_options<Real> const& o, matrix<Real> y) {
    Real const* const weight = o.parameters[0];
    Real const* const bias = o.parameters[1];
    batch<Real, Arch> const c(static_cast<Real>(o.offset)), a(*o.parameters[2]);
    for (index i = 0; i < y.rows; ++i)
      for_each_register<Arch, Real>(y.columns, [&](index j, index count) __attribute__((always_inline)) {
        batch<Real, Arch> const t = activations::tanh::value(a * rt::load<Arch>(x.row(i) + j, count));
        batch<Real, Arch> value = detail::gain<Arch>(t, weight, c, j, count);
        if (bias) value += rt::load<Arch>(bias + j, count);
        rt::store<Arch>(y.row(i) + j, value, count);
      });
  }

  template <class Arch, class Real>
  [[gnu::always_inline]] static void jvp(matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> dx,
                                         matrix<Real> dy) {
    Real const* const weight = o.parameters[0];
    batch<Real, Arch> const c(static_cast<Real>(o.offset)), a(*o.parameters[2]);
    for (index i = 0; i < dy.rows; ++i)
      for_each_register<Arch, Real>(dy.columns, [&](index j, index count) __attribute__((always_inline)) {
        batch<Real, Arch> const slope = a * activations::tanh::derivative(a * rt::load<Arch>(x.row(i) + j, count));
        batch<Real, Arch> const value = detail::gain<Arch>(slope, weight, c, j, count);
        rt::store<Arch>(dy.row(i) + j, value * rt::load<Arch>(dx.row(i) + j, count), count);
      });
  }

  template <class Arch, class Real>
  [[gnu::always_inline]] static void vjp(matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> g, matrix<Real> gx,
                                         norm_gradients<Real> const& sums) {
    Real const* const weight = o.parameters[0];
    Real* const gweight = sums.parameters[0];
    Real* const gbias = sums.parameters[1];
    Real* const galpha = sums.parameters[2];
    batch<Real, Arch> const c(static_cast<Real>(o.offset)), a(*o.parameters[2]), zero(Real(0));
    for (index i = 0; i < g.rows; ++i) {
      batch<Real, Arch> along = zero;
      for_each_register<Arch, Real>(g.columns, [&](index j, index count) __attribute__((always_inline)) {
        batch<Real, Arch> const from = rt::load<Arch>(x.row(i) + j, count), gy = rt::load<Arch>(g.row(i) + j, count);
        if (gweight) {
          batch<Real, Arch> const t = activations::tanh::value(a * from);
          rt::store<Arch>(gweight + j, multiply_add(gy, t, rt::load<Arch>(gweight + j, count)), count);
        }
        if (gbias) rt::store<Arch>(gbias + j, rt::load<Arch>(gbias + j, count) + gy, count);
        batch<Real, Arch> const slope = activations::tanh::derivative(a * from);
        batch<Real, Arch> const h = detail::gain<Arch>(gy, weight, c, j, count) * slope;
        // At infinity, where the slope is 0, so is its product with x.
        along += xsimd::select(slope == zero, zero, h * from);
        if (gx.data) rt::store<Arch>(gx.row(i) + j, a * h, count);
      });
      if (galpha) *galpha += rt::reduce_add(along);
    }
  }
};

}  // namespace norms

namespace detail {
/// Calls body with an object of the norm's type.
template <class Body>
[[gnu::always_inline]] inline void with_norm(norm which, Body const& body) {
  switch (which) {
#define RESIDUA_CASE(NAME) \
  case norm::NAME: return body(norms::NAME{});
    RESIDUA_NORMS(RESIDUA_CASE)
#undef RESIDUA_CASE
  }
}
}  // namespace detail

/// y = N(x).  x, y: (m, n), y may be x.
template <class Arch, class Real>
void normalise(norm which, matrix<Real const> x, norm_options<Real> const& o, matrix<Real> y) {
  detail::with_norm(which, [&](auto n) __attribute__((always_inline)) { n.template value<Arch, Real>(x, o, y); });
}

/// dy = J_N(x) dx, the parameters held.  x, dx, dy: (m, n), dy may be dx.
template <class Arch, class Real>
void normalise_jvp(norm which, matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> dx, matrix<Real> dy) {
  detail::with_norm(which, [&](auto n) __attribute__((always_inline)) { n.template jvp<Arch, Real>(x, o, dx, dy); });
}

/// gx = J_N(x)^T g, and the parameters' gradients are added to sums.  x, g, gx: (m, n), gx may be g; null: skipped.
template <class Arch, class Real>
void normalise_vjp(norm which, matrix<Real const> x, norm_options<Real> const& o, matrix<Real const> g, matrix<Real> gx,
                   norm_gradients<Real> const& sums) {
  detail::with_norm(which, [&](auto n) __attribute__((always_inline)) { n.template vjp<Arch, Real>(x, o, g, gx, sums); });
}

}  // namespace residua::rt
