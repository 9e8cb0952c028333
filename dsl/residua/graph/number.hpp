#pragma once
#include <cstdint>
#include <residua/graph/writer.hpp>

namespace residua::graph {

namespace detail {
constexpr long double power_of_ten(int exponent) {
  long double value = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) value *= 10;
  return exponent < 0 ? 1 / value : value;
}

struct decimal {
  std::uint64_t digits = 0;
  int exponent = 0;  // value = digits * 10^exponent
};

/// The fewest digits that give the double back (17 at most).
constexpr decimal shortest(double value) {
  int magnitude = 0;  // value is about 10^magnitude
  for (long double v = value; v >= 10; v /= 10) ++magnitude;
  for (long double v = value; v < 1; v *= 10) --magnitude;
  decimal best;
  for (int precision = 1; precision <= 17; ++precision) {
    int const exponent = magnitude - precision + 1;
    long double const scaled = exponent < 0 ? value * power_of_ten(-exponent) : value / power_of_ten(exponent);
    best = {static_cast<std::uint64_t>(scaled + 0.5L), exponent};
    long double const back = exponent < 0 ? static_cast<long double>(best.digits) / power_of_ten(-exponent)
                                          : static_cast<long double>(best.digits) * power_of_ten(exponent);
    if (static_cast<double>(back) == value) break;
  }
  return best;
}
}  // namespace detail

/// Writes a number the short way: 0.5, 768, 1e-05 as 1e-5, or as 10^{-5} where powers are wanted.
constexpr void write(writer& out, double value, bool as_power = false) {
  if (value != value) return out.add("nan");
  if (value < 0) {
    out.add("-");
    value = -value;
  }
  if (value > 1.7976931348623157e308) return out.add("inf");
  if (value == 0) return out.add("0");
  auto [digits, exponent] = detail::shortest(value);
  while (digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  char text[24]{};
  int count = 0;
  for (std::uint64_t d = digits; d != 0; d /= 10) text[count++] = static_cast<char>('0' + d % 10);
  auto digit = [&](int i) { return std::string_view(&text[count - 1 - i], 1); };
  int const point = count + exponent;  // digits before the decimal point
  if (point > 16 || point < -3) {
    bool const is_power = as_power && digits == 1;
    if (!is_power) out.add(digit(0));
    if (count > 1) out.add(".");
    for (int i = 1; i < count; ++i) out.add(digit(i));
    if (as_power && !is_power) out.add(" \\cdot ");
    out.add(as_power ? "10^{" : "e");
    out.add_integer(point - 1);
    return out.add(as_power ? "}" : "");
  }
  if (point <= 0) {
    out.add("0.");
    for (int i = point; i < 0; ++i) out.add("0");
  }
  for (int i = 0; i < count; ++i) {
    if (i == point && point > 0) out.add(".");
    out.add(digit(i));
  }
  for (int i = count; i < point; ++i) out.add("0");
}

}  // namespace residua::graph
