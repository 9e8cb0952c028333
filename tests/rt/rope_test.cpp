// Rotary positions against the formulas in long double: pairs of the wrong channels, an angle that drifts or restarts at the
// wrong token, frequencies of the wrong width, an adjoint that is none, writes beyond the rows.
#define BOOST_TEST_MODULE rt_rope
#include "testing.hpp"

namespace residua::test {

/// theta_k, and for LLaMA 3.1 the map of its wave length w.
double frequency(rt::rope_options const& o, index k) {
  double const theta = std::pow(o.base, -2.0 * static_cast<double>(k) / static_cast<double>(o.rotary_width));
  if (o.factor == 1) return theta;
  double const w = 2 * std::acos(-1.0) / theta;
  if (w > o.old_length / o.low) return theta / o.factor;
  if (w < o.old_length / o.high) return theta;
  double const s = (o.old_length / w - o.low) / (o.high - o.low);
  return (1 - s) * theta / o.factor + s * theta;
}

/// cos and sin of position theta, the product exact: theta in two parts, neither of which is rounded.
struct turn {
  long double cosine, sine;
  turn(index position, double theta) {
    long double const i = static_cast<long double>(position);
    double const high = static_cast<double>(static_cast<float>(theta));
    long double const a = i * static_cast<long double>(high), b = i * static_cast<long double>(theta - high);
    cosine = std::cos(a) * std::cos(b) - std::sin(a) * std::sin(b);
    sine = std::sin(a) * std::cos(b) + std::cos(a) * std::sin(b);
  }
};

template <class Real>
void check(rt::rope_options const& o, rt::token_layout const& layout, index first, index rows) {
  numbers random(static_cast<std::uint64_t>(first + rows));
  guarded<Real> const x(rows, o.heads * o.head_width, random);
  for (auto const& kernels : kernel_tables<Real>()) {
    guarded<Real> y(rows, x.columns()), back(rows, x.columns()), in_place = x;
    y.fill(nan);
    kernels.rope(o, layout, first, x.view(), y.view());
    kernels.rope(o, layout, first, in_place.view(), in_place.view());
    kernels.rope_transposed(o, layout, first, y.view(), back.view());
    worst w;
    for (index r = 0; r < rows; ++r) {
      index const position = layout.position + (first + r) % layout.tokens;
      // Scaled frequencies may differ by an ulp, which the position multiplies.
      double const tolerance =
          epsilon_of<Real> * (sizeof(Real) == 4 ? 2 : 16) + (o.factor == 1 ? 0 : 1e-15 * static_cast<double>(position));
      for (index head = 0; head < o.heads; ++head)
        for (index c = 0; c < o.head_width; ++c) {
          double expected = static_cast<double>(x.at(r, head * o.head_width + c));
          if (c < o.rotary_width) {
            index const half = o.rotary_width / 2, k = o.interleaved ? c / 2 : c % half;
            bool const second = o.interleaved ? c % 2 == 1 : c >= half;
            index const peer = o.interleaved ? (second ? c - 1 : c + 1) : (second ? c - half : c + half);
            turn const t(position, frequency(o, k));
            long double const other = static_cast<long double>(x.at(r, head * o.head_width + peer));
            expected = static_cast<double>(static_cast<long double>(expected) * t.cosine + (second ? other : -other) * t.sine);
          }
          index const column = head * o.head_width + c;
          w.compare(static_cast<double>(y.at(r, column)), expected, tolerance, place(r, column));
          w.compare(static_cast<double>(back.at(r, column)), static_cast<double>(x.at(r, column)), tolerance,
                    "back " + place(r, column));
        }
      BOOST_TEST(same_bits(y, r, in_place, r));
    }
    RESIDUA_CHECK_WORST(w, name(kernels.set)
                               << " width " << o.rotary_width << " of " << o.head_width << " interleaved " << o.interleaved
                               << " factor " << o.factor << " first " << first << " position " << layout.position);
    BOOST_TEST((y.padding_untouched() && in_place.padding_untouched() && back.padding_untouched()));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(widths_and_tiles, Real, scalars) {
  index const widths[][2] = {{2, 2}, {8, 0}, {10, 6}, {64, 64}, {64, 16}, {80, 66}, {256, 256}};
  for (bool interleaved : {true, false})
    for (auto const& [head_width, rotary_width] : widths) {
      rt::rope_options const o{.heads = 3, .head_width = head_width, .rotary_width = rotary_width, .interleaved = interleaved};
      check<Real>(o, {.tokens = 170}, 0, 84);
      check<Real>(o, {.tokens = 170}, 84, 84);
      check<Real>(o, {.tokens = 7, .position = 3}, 5, 30);
      check<Real>(o, {.tokens = 1, .position = 99999}, 2, 5);
      check<Real>(o, {.tokens = 100000, .position = 0}, 99900, 84);
      check<Real>(o, {.tokens = 9}, 4, 0);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(frequencies_of_long_contexts, Real, scalars) {
  for (double factor : {8.0, 32.0})
    for (double base : {1e4, 5e5}) {
      rt::rope_options const o{.heads = 1, .head_width = 128, .rotary_width = 128, .base = base, .factor = factor};
      check<Real>(o, {.tokens = 60}, 0, 60);
      check<Real>(o, {.tokens = 100000}, 70000, 20);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nan_stays_in_its_pair, Real, scalars) {
  rt::rope_options const o{.heads = 2, .head_width = 8, .rotary_width = 6};
  for (auto const& kernels : kernel_tables<Real>()) {
    numbers random(1);
    guarded<Real> x(3, 16, random), y(3, 16);
    x.at(1, 9) = static_cast<Real>(nan);
    kernels.rope(o, {.tokens = 3}, 0, x.view(), y.view());
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 16; ++j) BOOST_TEST(std::isnan(y.at(i, j)) == (i == 1 && (j == 9 || j == 12)));
  }
}

}  // namespace residua::test
