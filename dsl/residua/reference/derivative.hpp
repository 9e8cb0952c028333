#pragma once
// Derivatives of the interpreter: with dual numbers, and with finite differences to check those.
#include <numeric>
#include <string_view>
#include <utility>

#include <residua/reference/dual.hpp>
#include <residua/reference/interpreter.hpp>

namespace residua::reference {

/// A dense matrix, row-major.
template <class Number>
struct matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Number> data{};

  matrix() = default;
  matrix(std::size_t m, std::size_t n) : rows(m), columns(n), data(m * n) {}
  Number& operator()(std::size_t i, std::size_t j) { return data[i * columns + j]; }
  Number const& operator()(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};

/// What a derivative is taken by: an input, or the parameter of this path, which has no space in it.
inline constexpr std::string_view by_stream = "";  // the first input
inline std::string by_input(std::size_t k) { return k == 0 ? "" : "input " + std::to_string(k); }

template <class Number>
std::vector<Number> const& variable(problem<Number> const& p, std::string_view by) {
  for (std::size_t k = 0; k < p.inputs.size(); ++k)
    if (by == by_input(k)) return p.inputs[k];
  return p.weights.find(by)->second;
}
template <class Number>
std::vector<Number>& variable(problem<Number>& p, std::string_view by) {
  return const_cast<std::vector<Number>&>(variable(std::as_const(p), by));
}

inline std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> list(count);
  std::iota(list.begin(), list.end(), std::size_t{0});
  return list;
}

/// J v, for a direction of one input or parameter.
template <class Number>
std::vector<Number> jvp(problem<Number> const& p, std::string_view by, std::vector<Number> const& direction) {
  auto moving = converted<dual<Number>>(p);
  auto& numbers = variable(moving, by);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].slope[0] = direction.at(i);
  std::vector<Number> dy;
  for (auto const& each : output(moving)) dy.push_back(each.slope[0]);
  return dy;
}

/// The columns of J that are asked for, as the columns of a matrix: (result, chosen).
template <class Number>
matrix<Number> jacobian_columns(problem<Number> const& p, std::string_view by, std::vector<std::size_t> const& chosen) {
  constexpr std::size_t together = 8;
  auto moving = converted<dual<Number, together>>(p);
  auto& numbers = variable(moving, by);
  matrix<Number> columns(size_of_results(p.lengths, p.graph), chosen.size());
  for (std::size_t first = 0; first < chosen.size(); first += together) {
    std::size_t const count = std::min(together, chosen.size() - first);
    for (std::size_t k = 0; k < count; ++k) numbers.at(chosen[first + k]).slope[k] = Number(1);
    auto const y = output(moving);
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t k = 0; k < count; ++k) columns(i, first + k) = y[i].slope[k];
    for (std::size_t k = 0; k < count; ++k) numbers[chosen[first + k]].slope[k] = Number(0);
  }
  return columns;
}

/// J, (results, variable).
template <class Number>
matrix<Number> dense_jacobian(problem<Number> const& p, std::string_view by = by_stream) {
  return jacobian_columns(p, by, all_of(variable(p, by).size()));
}

/// <g, J e_i> for the chosen entries i of the variable: entries of J^T g.
template <class Number>
std::vector<Number> vjp_entries(matrix<Number> const& columns, std::vector<Number> const& g) {
  std::vector<Number> entries(columns.columns, Number(0));
  for (std::size_t i = 0; i < columns.rows; ++i)
    for (std::size_t k = 0; k < columns.columns; ++k) entries[k] += g.at(i) * columns(i, k);
  return entries;
}

/// J^T g.
template <class Number>
std::vector<Number> vjp(problem<Number> const& p, std::string_view by, std::vector<Number> const& g) {
  return vjp_entries(dense_jacobian(p, by), g);
}

/// (f(x + h v) - f(x - h v)) / 2h in long double: wrong by about 1e-12 where f is smooth.
inline std::vector<double> finite_difference(problem<double> const& p, std::string_view by,
                                             std::vector<double> const& direction) {
  constexpr long double h = 1e-7L;
  auto moved = [&](long double step) {
    auto away = converted<long double>(p);
    auto& numbers = variable(away, by);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += step * static_cast<long double>(direction.at(i));
    return output(away);
  };
  std::vector<long double> const ahead = moved(h);
  std::vector<long double> const behind = moved(-h);
  std::vector<double> dy(ahead.size());
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<double>((ahead[i] - behind[i]) / (2 * h));
  return dy;
}

}  // namespace residua::reference
