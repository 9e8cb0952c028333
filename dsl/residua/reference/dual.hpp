#pragma once
// Numbers with derivatives in a few directions: what the reference differentiates with. Knows nothing of the calculus
// under test: each function below states its own derivative.
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numbers>

namespace residua::reference {

/// value + sum_k slope[k] e_k, e_i e_j = 0: f(value + slope e) = f(value) + f'(value) slope e.
template <class Number, std::size_t Directions = 1>
struct dual {
  Number value{};
  std::array<Number, Directions> slope{};

  constexpr dual() = default;
  constexpr dual(Number v) : value(v) {}
  template <std::floating_point Other>
    requires(!std::same_as<Other, Number>)
  constexpr explicit dual(Other v) : value(static_cast<Number>(v)) {}

  constexpr dual& operator+=(dual const& b) { return *this = *this + b; }

  friend constexpr dual operator-(dual const& a) { return chain(-a.value, Number(-1), a); }
  friend constexpr dual operator+(dual const& a, dual const& b) { return chain(a.value + b.value, Number(1), a, Number(1), b); }
  friend constexpr dual operator-(dual const& a, dual const& b) { return chain(a.value - b.value, Number(1), a, Number(-1), b); }
  friend constexpr dual operator*(dual const& a, dual const& b) { return chain(a.value * b.value, b.value, a, a.value, b); }
  friend constexpr dual operator/(dual const& a, dual const& b) {
    Number const quotient = a.value / b.value;
    return chain(quotient, Number(1) / b.value, a, -quotient / b.value, b);
  }
  // a branch of a function is chosen by the value
  friend constexpr bool operator>(dual const& a, dual const& b) { return a.value > b.value; }
  friend constexpr bool operator<=(dual const& a, dual const& b) { return a.value <= b.value; }

  friend dual sqrt(dual const& a) {
    Number const root = std::sqrt(a.value);
    return chain(root, Number(1) / (root + root), a);
  }
  friend dual exp(dual const& a) {
    Number const power = std::exp(a.value);
    return chain(power, power, a);
  }
  friend dual log1p(dual const& a) { return chain(std::log1p(a.value), Number(1) / (Number(1) + a.value), a); }
  friend dual tanh(dual const& a) {
    Number const t = std::tanh(a.value);
    return chain(t, Number(1) - t * t, a);
  }
  friend dual erf(dual const& a) {
    return chain(std::erf(a.value), Number(2) * std::numbers::inv_sqrtpi_v<Number> * std::exp(-a.value * a.value), a);
  }

 private:
  static constexpr dual chain(Number value, Number by_a, dual const& a) {
    dual result(value);
    for (std::size_t k = 0; k < Directions; ++k) result.slope[k] = by_a * a.slope[k];
    return result;
  }
  static constexpr dual chain(Number value, Number by_a, dual const& a, Number by_b, dual const& b) {
    dual result(value);
    for (std::size_t k = 0; k < Directions; ++k) result.slope[k] = by_a * a.slope[k] + by_b * b.slope[k];
    return result;
  }
};

}  // namespace residua::reference
