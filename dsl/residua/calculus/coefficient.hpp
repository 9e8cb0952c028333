#pragma once
#include <cstdint>
#include <numeric>

namespace residua::calculus {

/// The number in front of a term: exact, as a ratio of integers, where it was written so, as 3, 0.1 or x / 49, so that what
/// cancels on paper cancels here; otherwise a double.
class coefficient {
 public:
  constexpr coefficient() = default;
  /// A decimal of at most nine digits is exact.
  constexpr coefficient(double number) : value_(number) {
    std::int64_t power = 1;
    for (int digits = 0; digits < 10; ++digits, power *= 10) {
      double const whole = number * static_cast<double>(power);
      if (!(whole < most && whole > -most)) break;
      auto const nearest = static_cast<std::int64_t>(whole < 0 ? whole - 0.5 : whole + 0.5);
      if (static_cast<double>(nearest) / static_cast<double>(power) != number) continue;
      set(nearest, power);
      return;
    }
    below_ = 0;
  }

  /// 1 / number
  static constexpr coefficient reciprocal(double number) {
    coefficient const written(number);
    coefficient made;
    if (written.is_exact() && written.above_ > 0) made.set(written.below_, written.above_);
    else if (written.is_exact() && written.above_ < 0) made.set(-written.below_, -written.above_);
    else made.below_ = 0;
    made.value_ = 1 / number;
    return made;
  }

  constexpr double value() const { return value_; }
  constexpr bool is_zero() const { return value_ == 0; }
  constexpr bool operator==(coefficient const& b) const { return value_ == b.value_; }

  constexpr coefficient& operator*=(coefficient const& b) {
    value_ *= b.value_;
    if (is_exact() && b.is_exact()) set(above_ * b.above_, below_ * b.below_);
    else below_ = 0;
    return *this;
  }
  constexpr coefficient& operator+=(coefficient const& b) {
    value_ += b.value_;
    if (is_exact() && b.is_exact()) set(above_ * b.below_ + b.above_ * below_, below_ * b.below_);
    else below_ = 0;
    return *this;
  }
  constexpr coefficient operator-() const {
    coefficient made = *this;
    made *= coefficient(-1);
    return made;
  }

 private:
  /// Both parts stay below this, so that products of two ratios and their sum fit.
  static constexpr double most = 1 << 30;

  constexpr bool is_exact() const { return below_ != 0; }

  constexpr void set(std::int64_t above, std::int64_t below) {
    std::int64_t const common = std::gcd(above, below);
    above_ = above / common;
    below_ = below / common;
    auto const fits = [](std::int64_t part) { return static_cast<double>(part)<most&& static_cast<double>(part)> - most; };
    if (fits(above_) && fits(below_)) value_ = static_cast<double>(above_) / static_cast<double>(below_);
    else below_ = 0;
  }

  double value_ = 1;
  std::int64_t above_ = 1;
  std::int64_t below_ = 1;  // 0: the value is no such ratio
};

}  // namespace residua::calculus
