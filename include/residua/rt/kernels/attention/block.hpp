// What the attention kernels compute with: products that keep a NaN behind the mask, rules on scores, epilogues.
#pragma once

#include <residua/rt/core/math.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/attention/mask.hpp>
#include <residua/rt/kernels/attention/options.hpp>
#include <residua/rt/kernels/attention/pack.hpp>
#include <residua/rt/kernels/multiply.hpp>

#include <cmath>
#include <limits>

namespace residua::rt::detail {

/// The slope of ALiBi for a head, 2^(-8 (head + 1) / heads); heads that are no power of two take the slopes of the power
/// below, then every second one of the power above. Source: Press, Smith & Lewis, 2108.12409.
[[gnu::always_inline]] inline double alibi_slope(index heads, index head) {
  index power = 1;
  while (2 * power <= heads) power *= 2;
  double const exponent = head < power ? static_cast<double>(head + 1) / static_cast<double>(power)
                                       : (static_cast<double>(head - power) + 0.5) / static_cast<double>(power);
  return std::exp2(-8.0 * exponent);
}

/// The epilogue of products y = f(y, x w, row).
template <class Real, class Function>
struct updated {
  matrix<Real> y;
  Function f;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch const& sum, Position const& at) const {
    return f(at.load(y), sum, at.row);
  }
};

/// y = f(y, x w, row) over the rows `part` of w, where row i of x is 0 beyond seen(i). A NaN or an infinity in a row of w
/// reaches those rows of y only that may see it, since the others would meet it as 0 times NaN.
template <class Arch, class Real, class Seen, class Function>
void combine(matrix<Real const> x, block_rows<Real> const& w, interval const& part, matrix<Real> y, Seen const& seen,
             Function const& f) {
  for (index c = 0; c < y.columns; c += panel<Real>) {
    matrix<Real> const to = y.columns_from(c, smaller(y.columns - c, panel<Real>));
    updated<Real, Function> const epilogue{to, f};
    if (w.finite) {
      multiply_with<Arch, Real>(x, w.part(part, c), to, epilogue);
      continue;
    }
    for (index i = 0; i < x.rows; ++i)
      for_each_register<Arch, Real>(to.columns, [&](index j, index count) __attribute__((always_inline)) {
        batch<Real, Arch> sum(Real(0));
        interval const columns = seen(i);
        for (index n = columns.first; n < columns.last; ++n)
          sum = multiply_add(broadcast<Arch>(x.row(i)[n]), rt::load<Arch>(w.rows.row(part.first + n) + c + j, count), sum);
        position<Arch, Real> const at{i, j, count};
        at.store(to, epilogue(sum, at));
      });
  }
}

/// The columns of a block that a row may see, on registers.
template <class Arch, class Real>
struct seen_lanes {
  bool all;
  batch<Real, Arch> lane, first, last;

  [[gnu::always_inline]] seen_lanes(interval const& seen, index columns)
      : all(seen.first <= 0 && columns <= seen.last), first(static_cast<Real>(seen.first)), last(static_cast<Real>(seen.last)) {
    alignas(64) Real number[lanes<Real, Arch>];
    for (index i = 0; i < lanes<Real, Arch>; ++i) number[i] = static_cast<Real>(i);
    lane = batch<Real, Arch>::load_aligned(number);
  }

  /// The numbers of the columns j, j + 1, ... less `offset`.
  [[gnu::always_inline]] batch<Real, Arch> columns(index j, index offset) const {
    return lane + batch<Real, Arch>(static_cast<Real>(j - offset));
  }

  /// x in the columns j, j + 1, ... that are seen, otherwise `hidden`.
  [[gnu::always_inline]] batch<Real, Arch> keep(batch<Real, Arch> const& x, index j, batch<Real, Arch> const& hidden) const {
    if (all) return x;
    batch<Real, Arch> const at = columns(j, 0);
    return xsimd::select(at >= first && at < last, x, hidden);
  }
};

/// The scale of scores in two factors, the first a power of two: keys times `power` give products that overflow only where
/// the score does, and all else comes out to the bit as if the product were scaled at once.
template <class Real>
struct score_scale {
  Real power = 1;
  Real rest;

  [[gnu::always_inline]] explicit score_scale(double scale) : rest(static_cast<Real>(scale)) {
    if (scale <= -1 || scale >= 1) return;
    int exponent = 0;
    rest = static_cast<Real>(2 * std::frexp(scale, &exponent));
    power = static_cast<Real>(std::ldexp(0.5, exponent));
  }
};

/// From scale <q, k> to the score: cap, then slope; with the derivative of the cap.
template <class Arch, class Real>
struct score_rule {
  bool capped, sloped;
  batch<Real, Arch> cap, inverse;

  [[gnu::always_inline]] explicit score_rule(attention_options const& options)
      : capped(options.softcap != 0),
        sloped(options.alibi),
        cap(static_cast<Real>(options.softcap)),
        inverse(static_cast<Real>(capped ? 1 / options.softcap : 0)) {}

  [[gnu::always_inline]] bool any() const { return capped || sloped; }

  /// `derivative` is written where there is a cap.
  [[gnu::always_inline]] batch<Real, Arch> operator()(batch<Real, Arch> s, Real slope, batch<Real, Arch> const& distance,
                                                      batch<Real, Arch>& derivative) const {
    if (capped) {
      batch<Real, Arch> const t = detail::tanh(s * inverse);
      derivative = multiply_add(-t, t, batch<Real, Arch>(Real(1)));
      s = cap * t;
    }
    if (sloped) s = multiply_add(batch<Real, Arch>(-slope), xsimd::abs(distance), s);
    return s;
  }
};

/// The largest score of none; a constant, since a function would be shared between instruction sets.
template <class Real>
inline constexpr Real no_score = -std::numeric_limits<Real>::infinity();

/// c sum, an epilogue of products.
template <class Real>
struct multiple {
  Real c;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch const& sum, Position const&) const {
    return Batch(c) * sum;
  }
};

/// y + c sum
template <class Real>
struct add_multiple {
  Real c;
  template <class Batch>
  [[gnu::always_inline]] Batch operator()(Batch const& y, Batch const& sum, index) const {
    return multiply_add(Batch(c), sum, y);
  }
};

/// factor(row) y + sum
template <class Real>
struct scale_and_add {
  Real const* factor;
  template <class Batch>
  [[gnu::always_inline]] Batch operator()(Batch const& y, Batch const& sum, index row) const {
    return multiply_add(Batch(factor[row]), y, sum);
  }
};

}  // namespace residua::rt::detail
