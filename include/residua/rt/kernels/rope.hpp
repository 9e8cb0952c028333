// Rotary positions: each pair of channels of a head is rotated by the token's position times the frequency of the pair.
#pragma once

#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/sequences.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/rope_options.hpp>

#include <cmath>
#include <utility>

namespace residua::rt {

namespace detail {

/// The frequency of pair k, to a few ulp of double.
[[gnu::always_inline]] inline double rope_frequency(rope_options const& options, index k) {
  double const plain = std::pow(options.base, -2.0 * static_cast<double>(k) / static_cast<double>(options.rotary_width));
  if (options.factor == 1) return plain;
  double const turns = options.old_length * plain / 6.283185307179586477;
  if (turns < options.low) return plain / options.factor;
  if (turns > options.high) return plain;
  double const part = (turns - options.low) / (options.high - options.low);
  return (1 - part) * plain / options.factor + part * plain;
}

/// Cosines and sines of the pairs [first, first + count) at one position after the other.
struct rope_angles {
  static constexpr index most = 32;

  index first, count;
  double frequency[most], step_cosine[most], step_sine[most];
  double start_cosine[most], start_sine[most];  // of the first token of a sequence
  double cosine[most], sine[most];
  bool started = false;

  [[gnu::always_inline]] rope_angles(rope_options const& options, index first_, index count_) : first(first_), count(count_) {
    for (index k = 0; k < count; ++k) {
      frequency[k] = rope_frequency(options, first + k);
      step_cosine[k] = std::cos(frequency[k]);
      step_sine[k] = std::sin(frequency[k]);
    }
  }

  /// The angle is the product rounded, corrected by what rounding took.
  [[gnu::always_inline]] void at(index position) {
    double const p = static_cast<double>(position);
    for (index k = 0; k < count; ++k) {
      double const angle = p * frequency[k], rest = std::fma(p, frequency[k], -angle);
      double const c = std::cos(angle), s = std::sin(angle);
      cosine[k] = c - s * rest;
      sine[k] = s + c * rest;
    }
  }

  /// The first token of a sequence, whose position is the same for all.
  [[gnu::always_inline]] void at_start(index position) {
    if (!started) at(position);
    for (index k = 0; k < count; ++k)
      if (started) {
        cosine[k] = start_cosine[k];
        sine[k] = start_sine[k];
      } else {
        start_cosine[k] = cosine[k];
        start_sine[k] = sine[k];
      }
    started = true;
  }

  [[gnu::always_inline]] void next() {
    for (index k = 0; k < count; ++k) {
      double const c = cosine[k], s = sine[k];
      cosine[k] = c * step_cosine[k] - s * step_sine[k];
      sine[k] = s * step_cosine[k] + c * step_sine[k];
    }
  }
};

/// Rows between two exact angles: a float does not see the errors of a tile of steps.
template <class Real>
inline constexpr index rope_steps = is_float<Real> ? 128 : 8;

/// (x1, x0, x3, x2, ...)
template <class Real, class Arch>
[[gnu::always_inline]] inline batch<Real, Arch> swap_pairs(batch<Real, Arch> const& x) {
  using register_type = typename batch<Real, Arch>::register_type;
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return batch<Real, Arch>(static_cast<register_type>(
        __builtin_shufflevector(static_cast<register_type>(x), static_cast<register_type>(x), (I ^ 1)...)));
  }(std::make_integer_sequence<int, static_cast<int>(lanes<Real, Arch>)>{});
}

/// One chunk of pairs of one row: all heads. cosine and sine hold each pair's value once, or twice where pairs are
/// neighbours, then with the sine of the first channel negative.
template <class Arch, class Real>
[[gnu::always_inline]] inline void rotate_row(rope_options const& options, index first, index count, Real const* cosine,
                                              Real const* sine, Real const* x, Real* y) {
  index const half = options.rotary_width / 2;
  for (index head = 0; head < options.heads; ++head, x += options.head_width, y += options.head_width)
    if (options.interleaved)
      for_each_register<Arch, Real>(2 * count, [&](index j, index lanes_used) __attribute__((always_inline)) {
        batch<Real, Arch> const value = rt::load<Arch>(x + 2 * first + j, lanes_used);
        batch<Real, Arch> const turned = swap_pairs(value) * batch<Real, Arch>::load_aligned(sine + j);
        rt::store<Arch>(y + 2 * first + j, multiply_add(value, batch<Real, Arch>::load_aligned(cosine + j), turned), lanes_used);
      });
    else
      for_each_register<Arch, Real>(count, [&](index j, index lanes_used) __attribute__((always_inline)) {
        batch<Real, Arch> const a = rt::load<Arch>(x + first + j, lanes_used);
        batch<Real, Arch> const b = rt::load<Arch>(x + first + half + j, lanes_used);
        batch<Real, Arch> const c = batch<Real, Arch>::load_aligned(cosine + j), s = batch<Real, Arch>::load_aligned(sine + j);
        rt::store<Arch>(y + first + j, multiply_add(a, c, -(b * s)), lanes_used);
        rt::store<Arch>(y + first + half + j, multiply_add(b, c, a * s), lanes_used);
      });
}

/// y = R(i) x, or R(i)^T x with direction -1.
template <class Arch, class Real>
void rotate(double direction, rope_options const& options, token_layout const& layout, index first_row, matrix<Real const> x,
            matrix<Real> y) {
  constexpr index most = rope_angles::most;
  index const pairs = options.rotary_width / 2;
  for (index first = 0; first < pairs; first += most) {
    rope_angles angles(options, first, pairs - first < most ? pairs - first : most);
    alignas(64) Real cosine[2 * most] = {}, sine[2 * most] = {};
    for (index r = 0, steps = 0; r < y.rows; ++r, ++steps) {
      index const token = (first_row + r) % layout.tokens;
      if (token == 0) angles.at_start(layout.position), steps = 0;
      else if (r == 0 || steps == rope_steps<Real>) angles.at(layout.position + token), steps = 0;
      else angles.next();
      for (index k = 0; k < angles.count; ++k) {
        Real const c = static_cast<Real>(angles.cosine[k]), s = static_cast<Real>(direction * angles.sine[k]);
        if (options.interleaved) {
          cosine[2 * k] = cosine[2 * k + 1] = c;
          sine[2 * k] = -s;
          sine[2 * k + 1] = s;
        } else {
          cosine[k] = c;
          sine[k] = s;
        }
      }
      rotate_row<Arch>(options, first, angles.count, cosine, sine, x.row(r), y.row(r));
    }
  }
  if (x.data != y.data)
    for (index r = 0; r < y.rows; ++r)
      for (index head = 0; head < options.heads; ++head) {
        index const from = head * options.head_width + 2 * pairs;
        for_each_register<Arch, Real>(options.head_width - 2 * pairs, [&](index j, index count) __attribute__((always_inline)) {
          rt::store<Arch>(y.row(r) + from + j, rt::load<Arch>(x.row(r) + from + j, count), count);
        });
      }
}

}  // namespace detail

/// y_i = R(i) x_i for each head: each pair (a, b) of channels becomes (a cos t - b sin t, a sin t + b cos t) with
/// t = i frequency(pair); the other channels are copied. Row r is token (first + r) % layout.tokens, at
/// i = layout.position + token.  x, y: tiles (m, heads head_width), y may be x.
/// Frequencies are rounded to double, angles are not. cos and sin within 1 ulp (float), 2e-15 (double), i up to 1e5.
/// Sources: Su et al., 2104.09864; catalogue 3.3.
template <class Arch, class Real>
void rope(rope_options const& options, token_layout const& layout, index first, matrix<std::type_identity_t<Real> const> x,
          matrix<Real> y) {
  detail::rotate<Arch, Real>(1, options, layout, first, x, y);
}

/// y_i = R(i)^T x_i = R(-i) x_i, the adjoint and inverse of rope.
template <class Arch, class Real>
void rope_transposed(rope_options const& options, token_layout const& layout, index first,
                     matrix<std::type_identity_t<Real> const> x, matrix<Real> y) {
  detail::rotate<Arch, Real>(-1, options, layout, first, x, y);
}

}  // namespace residua::rt
