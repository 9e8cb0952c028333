// Elementary functions on registers: exp, log1p on [0, 1], tanh, the normal tail. Polynomials were fitted at Chebyshev
// points in 50 digits; fit errors are stated beside them. A NaN lane gives NaN in that lane only.
#pragma once

#include <residua/rt/core/simd.hpp>

#include <cstdint>

namespace residua::rt::detail {

/// c_n x^n + ... + c_0, coefficients from the highest power down, Horner's rule.
template <class Batch, class... Coefficients>
[[gnu::always_inline]] inline Batch polynomial(Batch const& x, double lead, Coefficients... rest) {
  using value_type = typename Batch::value_type;
  Batch sum(static_cast<value_type>(lead));
  ((sum = multiply_add(sum, x, Batch(static_cast<value_type>(rest)))), ...);
  return sum;
}

/// x = n ln 2 + remainder, |remainder| <= ln 2 / 2, and half = 2^(n - 1), for -1021 <= n <= 1024 (float: -125 <= n <= 128).
template <class Batch>
struct reduced {
  using value_type = typename Batch::value_type;
  using bits_type = std::conditional_t<is_float<value_type>, std::int32_t, std::int64_t>;
  static constexpr bool narrow = is_float<value_type>;

  Batch remainder;
  Batch half;

  [[gnu::always_inline]] explicit reduced(Batch const& x) {
    // Adding 1.5 * 2^23 (2^52) rounds to an integer in the low bits; the exponent's bias rides along in the constant.
    Batch const magic(static_cast<value_type>(narrow ? 12582912.0 + 126.0 : 6755399441055744.0 + 1022.0));
    Batch const shifted = multiply_add(x, Batch(static_cast<value_type>(1.4426950408889634074)), magic);
    Batch const n = shifted - magic;
    half = reinterpret<value_type>(reinterpret<bits_type>(shifted) << (narrow ? 23 : 52));
    // ln 2 in two parts, the first short enough for n times it to be exact (Cody & Waite).
    remainder = multiply_add(n, Batch(static_cast<value_type>(narrow ? -0.693359375 : -6.93147180369123816490e-01)), x);
    remainder = multiply_add(n, Batch(static_cast<value_type>(narrow ? 2.12194440e-4 : -1.90821492927058770002e-10)), remainder);
  }
};

/// (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2; fit error of exp 1e-8 (float), 2e-17 (double).
template <class Batch>
[[gnu::always_inline]] inline Batch exp_rest(Batch const& r) {
  if constexpr (is_float<typename Batch::value_type>)
    return polynomial(r, 1.392617612e-3, 8.363173075e-3, 4.166655466e-2, 1.666657703e-1, 0.5);
  else
    return polynomial(r, 2.510037583256123366e-8, 2.762007587998336659e-7, 2.755726848031002553e-6, 2.480152132236869327e-5,
                      1.984126986304054527e-4, 1.388888891719671908e-3, 8.333333333330064449e-3, 4.16666666666241619e-2,
                      1.666666666666666745e-1, 5.000000000000001021e-1);
}

/// The bounds between which exp(x) is a normal number; below, exp gives 0, above, infinity.
template <class Real>
inline constexpr Real exp_lowest = static_cast<Real>(is_float<Real> ? -86.98 : -708.05);
template <class Real>
inline constexpr Real exp_highest = static_cast<Real>(is_float<Real> ? 89.0 : 710.0);

/// exp(x) for x <= 0, or NaN. Within 1 ulp; 0 below exp_lowest, -infinity included.
template <class Batch>
[[gnu::always_inline]] inline Batch exp_of_nonpositive(Batch const& x) {
  using value_type = typename Batch::value_type;
  Batch const lowest(exp_lowest<value_type>);
  auto const below = x < lowest;
  reduced<Batch> const part(xsimd::select(below, lowest, x));
  Batch const& r = part.remainder;
  Batch const value = multiply_add(r * r, exp_rest(r), r) + Batch(value_type(1));
  return xsimd::select(below, Batch(value_type(0)), (value + value) * part.half);
}

/// exp(x). Within 1 ulp; 0 below exp_lowest, infinity on overflow.
template <class Batch>
[[gnu::always_inline]] inline Batch exp(Batch const& x) {
  Batch const highest(exp_highest<typename Batch::value_type>);
  return exp_of_nonpositive(xsimd::select(x > highest, highest, x));
}

/// log(1 + e) for 0 <= e <= 1, from log(1 + e) = 2 artanh(e / (2 + e)); small results keep their relative accuracy.
template <class Batch>
[[gnu::always_inline]] inline Batch log1p_of_unit(Batch const& e) {
  using value_type = typename Batch::value_type;
  Batch const s = divide(e, e + Batch(value_type(2)));
  Batch const z = s * s;
  Batch sum;
  if constexpr (is_float<value_type>)
    sum = polynomial(z, 1.407888918e-1, 1.398257887e-1, 2.001229762e-1, 3.333316082e-1, 1.000000004);
  else
    sum = polynomial(z, 8.522081781390699065e-2, 4.162253255930410288e-2, 6.055084364034608827e-2, 6.650187016337312169e-2,
                     7.693307021152003881e-2, 9.090870416252402255e-2, 1.111111204037383659e-1, 1.428571427272705727e-1,
                     2.000000000009287373e-1, 3.33333333333330748e-1, 1.000000000000000001);
  return (s + s) * sum;
}

/// tanh(x) = em / (em + 2) with em = exp(2 |x|) - 1, sign restored: relative accuracy also for small x.
template <class Batch>
[[gnu::always_inline]] inline Batch tanh(Batch const& x) {
  using value_type = typename Batch::value_type;
  Batch const one(value_type(1)), limit(static_cast<value_type>(is_float<value_type> ? 10.0 : 20.0));
  Batch const size = xsimd::abs(x);
  Batch const bounded = xsimd::select(size > limit, limit, size);
  reduced<Batch> const part(bounded + bounded);
  Batch const& r = part.remainder;
  Batch const power = part.half + part.half;
  Batch const em = multiply_add(power, multiply_add(r * r, exp_rest(r), r), power - one);
  Batch const value = divide(em, em + Batch(value_type(2)));
  return xsimd::select(x < Batch(value_type(0)), -value, value);
}

/// q(t) = erfc(t / sqrt 2) / 2, the normal distribution beyond t >= 0: Phi(x) is q(-x) for x < 0 and 1 - q(x) otherwise.
/// float: exp of a polynomial, absolute error 2e-8, 0 beyond 6.5. double: exp(-t^2/2) times a polynomial in (t-5)/(t+5)
/// (Shepherd & Laframboise, Math. Comp. 36, 1981), relative fit error 2e-15, 0 beyond 38.
template <class Batch>
[[gnu::always_inline]] inline Batch normal_tail(Batch const& t) {
  using value_type = typename Batch::value_type;
  Batch const zero(value_type(0));
  if constexpr (is_float<value_type>) {
    Batch const exponent =
        polynomial(t, 9.771663034e-10, -4.043784462e-8, 7.368206782e-7, -7.690992274e-6, 4.902201888e-5, -1.697119394e-4,
                   -6.723340773e-5, 4.916438592e-3, -3.64311902e-2, -3.182757367e-1, -7.978892712e-1, -6.93147074e-1);
    return xsimd::select(t > Batch(value_type(6.5)), zero, exp_of_nonpositive(exponent));
  } else {
    Batch const five(value_type(5));
    Batch const mills =
        polynomial((t - five) / (t + five), 1.530333678493256341e-9, 4.034371180611665563e-9, -1.129767240126929027e-8,
                   -3.714143024339199807e-8, 7.797655416902875974e-8, 2.419878905313007683e-7, -6.758446316330063879e-7,
                   -1.269534202516355227e-6, 6.644777426466375882e-6, 9.611761651948296432e-7, -6.042757878192444214e-5,
                   1.342768613098029427e-4, 2.195507525959488462e-4, -2.378844357918847323e-3, 8.991370549321624365e-3,
                   -2.34139004876719913e-2, 4.785535228422020493e-2, -8.088387726412605159e-2, 1.160688118860026396e-1,
                   -1.43457555264012005e-1, 7.691930497500629676e-2);
    Batch const density = exp_of_nonpositive(Batch(value_type(-0.5)) * t * t);
    return xsimd::select(t > Batch(value_type(38)), zero, density * mills);
  }
}

}  // namespace residua::rt::detail
