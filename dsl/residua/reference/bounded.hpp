#pragma once
// Numbers that know how far arithmetic may have led them: the condition of a block, computed along with its value and its
// derivatives. What a kernel may be off by is a multiple of these errors, so no comparison needs a bound of its own.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <residua/graph/graph.hpp>
#include <vector>

namespace residua::reference {

/// value + sum_k slope[k] e_k, as a dual number, each part with a bound on its distance from what any evaluation in Real of
/// the same formulas gives (midpoint and radius; Rump, Acta Numerica 2010, section 9). An operation takes the distances of
/// its operands on, terms of second order included, and adds its own rounding; where a sum cancels, what cancels is in it.
/// An infinite error: nothing can be said, as where Real overflows.
template <class Real, std::size_t Directions = 1>
struct bounded {
  using list = std::array<double, Directions>;

  double value = 0;
  double error = 0;
  list slope{};
  list slope_error{};

  static constexpr double unit = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
  static constexpr double least = static_cast<double>(std::numeric_limits<Real>::min());
  static constexpr double most = static_cast<double>(std::numeric_limits<Real>::max()) / 2;

  constexpr bounded() = default;
  /// A number as Real holds it.
  constexpr explicit bounded(double number)
      : value(number), error(static_cast<double>(static_cast<Real>(number)) == number ? 0 : rounding(number)) {}

  static constexpr double magnitude(double number) { return number < 0 ? -number : number; }
  /// What one operation in Real adds to the error of a result, and to that of a sum whose parts are that large.
  static constexpr double rounding(double number) { return unit * magnitude(number) + least; }
  /// The error of a result, infinite where Real may overflow.
  static constexpr double settled(double number, double error) {
    return magnitude(number) + error > most ? std::numeric_limits<double>::infinity() : error;
  }

  constexpr bounded& operator+=(bounded const& b) {
    // What overflows is a part, also where the parts cancel.
    double const parts = magnitude(value) + magnitude(b.value);
    error = settled(parts, error + b.error + rounding(parts));
    value += b.value;
    for (std::size_t k = 0; k < Directions; ++k) {
      double const slopes = magnitude(slope[k]) + magnitude(b.slope[k]);
      slope_error[k] = settled(slopes, slope_error[k] + b.slope_error[k] + rounding(slopes));
      slope[k] += b.slope[k];
    }
    return *this;
  }
  friend constexpr bounded operator+(bounded a, bounded const& b) { return a += b; }
  friend constexpr bounded operator-(bounded a) {
    a.value = -a.value;
    for (double& each : a.slope) each = -each;
    return a;
  }
  friend constexpr bounded operator-(bounded const& a, bounded const& b) { return a + -b; }

  friend constexpr bounded operator*(bounded const& a, bounded const& b) {
    bounded c;
    double const size_a = magnitude(a.value) + a.error;
    double const size_b = magnitude(b.value) + b.error;
    c.value = a.value * b.value;
    c.error = settled(c.value, size_a * b.error + a.error * magnitude(b.value) + rounding(c.value));
    for (std::size_t k = 0; k < Directions; ++k) {
      double const left = a.slope[k] * b.value;
      double const right = a.value * b.slope[k];
      double const parts = magnitude(left) + magnitude(right);
      c.slope[k] = left + right;
      c.slope_error[k] = settled(parts, a.slope_error[k] * size_b + magnitude(a.slope[k]) * b.error + b.slope_error[k] * size_a +
                                            magnitude(b.slope[k]) * a.error + 2 * rounding(parts));
    }
    return c;
  }

  /// q = a / b, q' = (a' - q b') / b
  friend constexpr bounded operator/(bounded const& a, bounded const& b) {
    bounded q;
    double const size_b = magnitude(b.value) - b.error;  // at least
    bool const known = size_b > 0;
    auto over = [&](double above) { return known ? above / size_b : std::numeric_limits<double>::infinity(); };
    q.value = a.value / b.value;
    q.error = settled(q.value, over(a.error + magnitude(q.value) * b.error) + rounding(q.value));
    for (std::size_t k = 0; k < Directions; ++k) {
      double const taken = q.value * b.slope[k];
      q.slope[k] = (a.slope[k] - taken) / b.value;
      double const numerator = a.slope_error[k] + q.error * magnitude(b.slope[k]) +
                               (magnitude(q.value) + q.error) * b.slope_error[k] +
                               2 * rounding(magnitude(a.slope[k]) + magnitude(taken));
      q.slope_error[k] = settled(q.slope[k], over(numerator + magnitude(q.slope[k]) * b.error) + rounding(q.slope[k]));
    }
    return q;
  }

  friend constexpr bool operator>(bounded const& a, bounded const& b) { return a.value > b.value; }
  friend constexpr bool operator<=(bounded const& a, bounded const& b) { return a.value <= b.value; }

  /// A function of a: its value and its derivative there, each with the bound on how far it may be off.
  static constexpr bounded of(bounded const& a, double value, double error, double derivative, double derivative_error) {
    bounded f;
    f.value = value;
    f.error = settled(value, error);
    for (std::size_t k = 0; k < Directions; ++k) {
      f.slope[k] = derivative * a.slope[k];
      f.slope_error[k] =
          settled(f.slope[k], magnitude(derivative) * a.slope_error[k] +
                                  derivative_error * (magnitude(a.slope[k]) + a.slope_error[k]) + rounding(f.slope[k]));
    }
    return f;
  }
};

namespace detail {
/// How far a function is off that changes by `change` over the error of its argument, and by no more than `most` over any.
/// Where nothing is known of the argument, it may be NaN, and nothing is known of the function.
constexpr double at_most(double most, double change, double argument_error) {
  if (!(argument_error <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
  return change < most ? change : most;
}
}  // namespace detail

/// The functions below never leave their range, however uncertain their argument: |tanh| <= 1 and so on. Their derivatives
/// change by at most a factor exp(c r) over a distance r: c = 2 for tanh, 1 for the logistic function.
template <class Real, std::size_t K>
bounded<Real, K> tanh(bounded<Real, K> const& x) {
  constexpr double unit = bounded<Real, K>::unit;
  double const t = std::tanh(x.value);
  double const derivative = 1 - t * t;
  double const spread = std::expm1(2 * x.error);
  return bounded<Real, K>::of(
      x, t, detail::at_most(1 + std::abs(t), derivative * spread / 2, x.error) + 2 * bounded<Real, K>::rounding(t), derivative,
      detail::at_most(1, derivative * spread, x.error) + 4 * unit);
}

template <class Real, std::size_t K>
bounded<Real, K> erf(bounded<Real, K> const& x) {
  constexpr double unit = bounded<Real, K>::unit;
  double const size = std::abs(x.value);
  double const derivative = 2 * std::numbers::inv_sqrtpi * std::exp(-size * size);
  double const spread = 2 * size * x.error + x.error * x.error;  // of the exponent
  double const value = std::erf(x.value);
  return bounded<Real, K>::of(x, value,
                              detail::at_most(1 + std::abs(value), derivative * x.error * std::exp(spread), x.error) +
                                  2 * bounded<Real, K>::rounding(value),
                              derivative,
                              detail::at_most(1.2, derivative * std::expm1(spread + 2 * unit * size * size), x.error) +
                                  4 * bounded<Real, K>::rounding(derivative));
}

template <class Real, std::size_t K>
bounded<Real, K> sigmoid(bounded<Real, K> const& x) {
  constexpr double unit = bounded<Real, K>::unit;
  double const e = std::exp(-std::abs(x.value));
  double const small = e / (1 + e);
  double const s = x.value > 0 ? 1 - small : small;
  double const derivative = s * (1 / (1 + e)) * (x.value > 0 ? e : 1);
  double const spread = std::expm1(x.error);
  return bounded<Real, K>::of(x, s, detail::at_most(1, derivative * spread, x.error) + 4 * bounded<Real, K>::rounding(s),
                              derivative,
                              detail::at_most(0.25, derivative * spread, x.error) + 4 * (unit * s + bounded<Real, K>::least));
}

template <class Real, std::size_t K>
bounded<Real, K> softplus(bounded<Real, K> const& x) {
  double const e = std::exp(-std::abs(x.value));
  double const s = x.value > 0 ? 1 / (1 + e) : e / (1 + e);
  double const value = (x.value > 0 ? x.value : 0) + std::log1p(e);
  double const spread = std::expm1(x.error);
  return bounded<Real, K>::of(x, value, detail::at_most(x.error, s * spread, x.error) + 4 * bounded<Real, K>::rounding(value), s,
                              detail::at_most(1, s * spread, x.error) + 4 * bounded<Real, K>::rounding(s));
}

/// max(x, 0), NaN stays. Where the sign of x is not known, the derivative may be that of either side.
template <class Real, std::size_t K>
bounded<Real, K> positive_part(bounded<Real, K> const& x) {
  if (x.value > 0 && x.value > x.error) return x;
  if (x.value <= 0 && -x.value >= x.error) return bounded<Real, K>(0.0);
  bounded<Real, K> y = x;
  y.value = x.value <= 0 ? 0 : x.value;
  for (std::size_t k = 0; k < K; ++k) {
    y.slope[k] = x.value <= 0 ? 0 : x.slope[k];
    y.slope_error[k] = std::abs(x.slope[k]) + x.slope_error[k];
  }
  return y;
}

/// xh_j = (x_j - mean) / s and xh_j' = (d_j' - xh_j mean_k(xh_k d_k')) / s with d = x - mean: no evaluation leaves
/// s >= sqrt(eps) and |xh| <= sqrt(n).
template <class Real, std::size_t K>
std::vector<bounded<Real, K>> normalised(graph::op operation, double epsilon, bounded<Real, K> const* row, std::size_t width) {
  using number = bounded<Real, K>;
  double const n = static_cast<double>(width);
  number mean(0.0);
  if (operation == graph::op::layer_norm) {
    for (std::size_t j = 0; j < width; ++j) mean += row[j];
    mean = mean / number(n);
  }
  std::vector<number> d(row, row + width);
  double square = 0, square_error = 0;
  for (number& each : d) {
    each = operation == graph::op::layer_norm ? each - mean : each;
    square += each.value * each.value / n;
    square_error +=
        (2 * std::abs(each.value) + each.error) * each.error / n + (n + 2) * number::rounding(each.value * each.value / n);
  }
  square_error = number::settled(square, square_error);
  double const low = std::sqrt((square > square_error ? square - square_error : 0) + epsilon);
  double const inverse = 1 / std::sqrt(square + epsilon);
  double const below = inverse - 1 / std::sqrt(square + square_error + epsilon);
  double const inverse_error = (1 / low - inverse > below ? 1 / low - inverse : below) + 4 * number::rounding(inverse);
  std::vector<number> xh(width);
  number projected;  // mean_k(xh_k d_k')
  for (std::size_t j = 0; j < width; ++j) {
    xh[j].value = d[j].value * inverse;
    xh[j].error = detail::at_most(
        std::sqrt(n) + std::abs(xh[j].value),
        std::abs(d[j].value) * inverse_error + d[j].error * (inverse + inverse_error) + 2 * number::rounding(xh[j].value),
        square_error);
    for (std::size_t k = 0; k < K; ++k) {
      double const part = xh[j].value * d[j].slope[k] / n;
      projected.slope[k] += part;
      projected.slope_error[k] +=
          ((std::abs(xh[j].value) + xh[j].error) * d[j].slope_error[k] + xh[j].error * std::abs(d[j].slope[k])) / n +
          (n + 2) * number::rounding(part);
    }
  }
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t k = 0; k < K; ++k) {
      double const taken = xh[j].value * projected.slope[k];
      double const left = d[j].slope[k] - taken;
      double const off = d[j].slope_error[k] + xh[j].error * (std::abs(projected.slope[k]) + projected.slope_error[k]) +
                         std::abs(xh[j].value) * projected.slope_error[k] +
                         2 * number::rounding(std::abs(d[j].slope[k]) + std::abs(taken));
      xh[j].slope[k] = left * inverse;
      xh[j].slope_error[k] = number::settled(xh[j].slope[k], off * (inverse + inverse_error) + std::abs(left) * inverse_error +
                                                                 2 * number::rounding(xh[j].slope[k]));
    }
  return xh;
}

/// p_j = exp(s_j) / sum_k exp(s_k), p_j' = p_j (s_j' - sum_k p_k s_k'). Scores that are off by r_j change p_j by a factor
/// between exp(-r) and exp(r), r = r_j + log sum_k p_k exp(r_k), and p_j stays between 0 and 1.
template <class Real, std::size_t K>
std::vector<bounded<Real, K>> softmax(std::vector<bounded<Real, K>> const& scores) {
  using number = bounded<Real, K>;
  double most = -std::numeric_limits<double>::infinity();
  for (number const& s : scores) most = s.value > most ? s.value : most;
  double sum = 0;
  for (number const& s : scores) sum += std::exp(s.value - most);
  std::vector<number> p(scores.size());
  double spread = 0;  // of the sum, relative to it
  double worst = 0;   // error of a score
  auto distance = [&](number const& s) {
    return s.error + 2 * number::rounding(std::abs(s.value) + std::abs(most)) + 8 * number::unit;
  };
  for (std::size_t j = 0; j < p.size(); ++j) {
    p[j].value = std::exp(scores[j].value - most) / sum;
    worst = scores[j].error <= worst ? worst : scores[j].error;
    spread += p[j].value > 0 ? p[j].value * std::expm1(distance(scores[j])) : 0;
  }
  number mean;
  for (std::size_t j = 0; j < p.size(); ++j) {
    p[j].error = detail::at_most(1, p[j].value * std::expm1(distance(scores[j]) + std::log1p(spread)), worst) +
                 4 * number::rounding(p[j].value);
    for (std::size_t k = 0; k < K; ++k) {
      mean.slope[k] += p[j].value * scores[j].slope[k];
      mean.slope_error[k] += (p[j].value + p[j].error) * scores[j].slope_error[k] + p[j].error * std::abs(scores[j].slope[k]) +
                             2 * number::rounding(p[j].value * scores[j].slope[k]);
    }
  }
  for (std::size_t j = 0; j < p.size(); ++j)
    for (std::size_t k = 0; k < K; ++k) {
      double const from_mean = scores[j].slope[k] - mean.slope[k];
      double const off = scores[j].slope_error[k] + mean.slope_error[k] +
                         number::rounding(std::abs(scores[j].slope[k]) + std::abs(mean.slope[k]));
      p[j].slope[k] = p[j].value * from_mean;
      p[j].slope_error[k] = number::settled(
          p[j].slope[k], (p[j].value + p[j].error) * off + p[j].error * std::abs(from_mean) + number::rounding(p[j].slope[k]));
    }
  return p;
}

}  // namespace residua::reference
