// Dynamic tanh in the place of a norm: value, Jacobian-vector and vector-Jacobian products. No statistics: each element by
// itself.
#pragma once

#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/activation.hpp>

namespace residua::rt {

/// y = weight .* tanh(alpha x) + bias.  x, y: (m, n), y may be x; weight, bias: (n) or null for gain 1, bias 0.
/// Source: Zhu et al., 2503.10622.
template <class Arch, class Real>
void dyt(matrix<Real const> x, Real alpha, Real const* weight, Real const* bias, matrix<Real> y) {
  batch<Real, Arch> const a(alpha);
  for (index i = 0; i < y.rows; ++i)
    for_each_register<Arch, Real>(y.columns, [&](index j, index count) __attribute__((always_inline)) {
      batch<Real, Arch> value = activations::tanh::value(a * rt::load<Arch>(x.row(i) + j, count));
      if (weight) value = value * rt::load<Arch>(weight + j, count);
      if (bias) value = value + rt::load<Arch>(bias + j, count);
      rt::store<Arch>(y.row(i) + j, value, count);
    });
}

/// dy = weight .* alpha tanh'(alpha x) .* dx, the parameters held.  x, dx, dy: (m, n), dy may be dx.
template <class Arch, class Real>
void dyt_jvp(matrix<Real const> x, Real alpha, Real const* weight, matrix<Real const> dx, matrix<Real> dy) {
  batch<Real, Arch> const a(alpha);
  for (index i = 0; i < dy.rows; ++i)
    for_each_register<Arch, Real>(dy.columns, [&](index j, index count) __attribute__((always_inline)) {
      batch<Real, Arch> value = a * activations::tanh::derivative(a * rt::load<Arch>(x.row(i) + j, count));
      if (weight) value = value * rt::load<Arch>(weight + j, count);
      rt::store<Arch>(dy.row(i) + j, value * rt::load<Arch>(dx.row(i) + j, count), count);
    });
}

/// With h = weight .* g .* tanh'(alpha x):  gx = alpha h,  galpha += sum_ij h .* x,  gweight += sum_i g .* tanh(alpha x),
/// gbias += sum_i g.  x, g, gx: (m, n), gx may be g; gx.data, galpha, gweight, gbias null: skipped.
template <class Arch, class Real>
void dyt_vjp(matrix<Real const> x, Real alpha, Real const* weight, matrix<Real const> g, matrix<Real> gx, Real* galpha,
             Real* gweight, Real* gbias) {
  batch<Real, Arch> const a(alpha), zero(Real(0));
  for (index i = 0; i < g.rows; ++i) {
    batch<Real, Arch> along = zero;
    for_each_register<Arch, Real>(g.columns, [&](index j, index count) __attribute__((always_inline)) {
      batch<Real, Arch> const from = rt::load<Arch>(x.row(i) + j, count), gy = rt::load<Arch>(g.row(i) + j, count);
      if (gweight) {
        batch<Real, Arch> const value = activations::tanh::value(a * from);
        rt::store<Arch>(gweight + j, multiply_add(gy, value, rt::load<Arch>(gweight + j, count)), count);
      }
      if (gbias) rt::store<Arch>(gbias + j, rt::load<Arch>(gbias + j, count) + gy, count);
      batch<Real, Arch> const slope = activations::tanh::derivative(a * from);
      batch<Real, Arch> const h = (weight ? gy * rt::load<Arch>(weight + j, count) : gy) * slope;
      // At infinity, where the slope is 0, so is its product with x.
      along += xsimd::select(slope == zero, zero, h * from);
      if (gx.data) rt::store<Arch>(gx.row(i) + j, a * h, count);
    });
    if (galpha) *galpha += rt::reduce_add(along);
  }
}

}  // namespace residua::rt
