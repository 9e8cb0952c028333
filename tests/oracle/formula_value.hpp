#pragma once
// The number behind a printed formula: a tree of the calculus evaluated at one point, in double or with dual numbers.
#include <functional>
#include <optional>
#include <residua/calculus/rules.hpp>
#include <residua/reference/derivative.hpp>

namespace residua::oracle {

using namespace reference;

template <class Number>
matrix<Number> number_of(Number value) {
  matrix<Number> one(1, 1);
  one(0, 0) = value;
  return one;
}

template <class Number>
matrix<Number> identity_matrix(std::size_t n) {
  matrix<Number> one(n, n);
  for (std::size_t i = 0; i < n; ++i) one(i, i) = Number(1);
  return one;
}

template <class Number>
matrix<Number> transpose(matrix<Number> const& a) {
  matrix<Number> made(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) made(j, i) = a(i, j);
  return made;
}

/// a b; a number times each element where one of them is one.
template <class Number>
matrix<Number> product(matrix<Number> const& a, matrix<Number> const& b) {
  if (a.data.size() == 1 && b.rows != 1) return product(b, a);
  if (b.data.size() == 1 && a.columns != 1) {
    matrix<Number> made = a;
    for (Number& each : made.data) each = each * b.data[0];
    return made;
  }
  if (a.columns != b.rows) throw std::logic_error("oracle: factors that do not fit");
  matrix<Number> c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k) {
      if constexpr (std::floating_point<Number>)
        if (a(i, k) == 0) continue;  // most of a matrix with a block for each token
      for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  return c;
}

/// What the names of a formula are at one point. Vectors are columns, but for the tokens of a linear map, which are rows.
template <class Number>
struct formula_point {
  std::function<matrix<Number>(std::string_view name, std::size_t j)> symbol{};  // j: the key that sum_j has come to
  std::function<matrix<Number>(calculus::role)> parameter{};
  std::function<matrix<Number>(std::size_t)> operand{};
  std::function<matrix<Number>(Number position)> rotation{};
  std::size_t keys = 0;  // that j runs over
};

template <class Number>
class formula_value {
 public:
  formula_value(calculus::formulas const& all, formula_point<Number> const& point) : all_(all), point_(point) {}

  matrix<Number> operator()(calculus::formula f) const { return value(f.at); }
  /// The block (i, j) of a formula that has one for each pair of tokens.
  matrix<Number> at_key(calculus::formula f, std::size_t j) const { return with_key(j).value(f.at); }
  /// What a map makes of a change of its variable.
  matrix<Number> applied(calculus::formula map, matrix<Number> const& change) const {
    formula_value moved = *this;
    moved.variable_.emplace(all_[part(map.at, 0)].name.text, change);
    return moved.value(part(map.at, 1));
  }

 private:
  using form = calculus::form;

  int part(int at, std::size_t k) const { return all_[at].parts[k]; }
  formula_value with_key(std::size_t j) const {
    formula_value moved = *this;
    moved.key_ = j;
    return moved;
  }

  matrix<Number> value(int at) const {
    calculus::formula_node const& n = all_[at];
    auto of = [&](std::size_t k) { return value(n.parts[k]); };
    switch (n.is) {
      case form::number: return number_of(static_cast<Number>(n.number));
      case form::symbol:
        if (variable_ && variable_->first == n.name.text) return variable_->second;
        return point_.symbol(n.name.text, key_);
      case form::parameter: return point_.parameter(n.which);
      case form::operand: return point_.operand(n.operand);
      case form::definition:
      case form::over_tokens:
      case form::each_token: return of(0);
      case form::block: return of(2);
      case form::sum: return combined(of(0), of(1), [](Number const& a, Number const& b) { return a + b; });
      case form::difference: return combined(of(0), of(1), [](Number const& a, Number const& b) { return a - b; });
      case form::hadamard: return combined(of(0), of(1), [](Number const& a, Number const& b) { return a * b; });
      case form::quotient:
      case form::ratio: return combined(of(0), of(1), [](Number const& a, Number const& b) { return a / b; });
      case form::extreme: return combined(of(0), of(1), [](Number const& a, Number const& b) { return a > b ? a : b; });
      case form::negative: return each(of(0), [](Number const& a) { return -a; });
      case form::magnitude: return each(of(0), [](Number const& a) { return a > Number(0) ? a : -a; });
      case form::root:
        return each(of(0), [](Number const& a) {
          using std::sqrt;
          return sqrt(a);
        });
      case form::power: return power(of(0), all_[n.parts[1]].number);
      case form::product: return product(of(0), of(1));
      case form::function: return function(n.name.text, of(0));
      case form::application: return application(n.operation, of(0));
      case form::relation: return number_of(static_cast<Number>(holds(at) ? 1.0 : 0.0));
      case form::transposed: return transpose(of(0));
      case form::outer: return product(of(0), transpose(of(1)));
      case form::dot:
      case form::inner: return inner(of(0), of(1));
      case form::diagonal: return diagonal(of(0));
      case form::rotation: return point_.rotation(of(0).data[0]);
      case form::total: return total(n.parts[0]);
      case form::softmax: return softmax(at);
      case form::map:
      case form::only_where: break;
    }
    throw std::logic_error("oracle: no value");
  }

  template <class Function>
  static matrix<Number> each(matrix<Number> a, Function const& function) {
    for (Number& element : a.data) element = function(element);
    return a;
  }
  /// Element by element; a number goes with each element.
  template <class Function>
  static matrix<Number> combined(matrix<Number> const& a, matrix<Number> const& b, Function const& function) {
    if (a.data.size() == 1) return each(b, [&](Number const& element) { return function(a.data[0], element); });
    if (b.data.size() == 1) return each(a, [&](Number const& element) { return function(element, b.data[0]); });
    if (a.rows != b.rows || a.columns != b.columns) throw std::logic_error("oracle: terms that do not fit");
    matrix<Number> made = a;
    for (std::size_t i = 0; i < made.data.size(); ++i) made.data[i] = function(a.data[i], b.data[i]);
    return made;
  }

  static matrix<Number> power(matrix<Number> const& base, double exponent) {
    return each(base, [&](Number const& a) {
      Number made(1);
      for (double k = 0; k < exponent; k += 1) made = made * a;
      return made;
    });
  }

  static matrix<Number> inner(matrix<Number> const& a, matrix<Number> const& b) {
    Number sum(0);
    for (std::size_t i = 0; i < a.data.size(); ++i) sum += a.data.at(i) * b.data.at(i);
    return number_of(sum);
  }

  static matrix<Number> diagonal(matrix<Number> const& a) {
    matrix<Number> made(a.data.size(), a.data.size());
    for (std::size_t i = 0; i < a.data.size(); ++i) made(i, i) = a.data[i];
    return made;
  }

  static matrix<Number> mean(matrix<Number> const& a) {
    Number sum(0);
    for (Number const& element : a.data) sum += element;
    return number_of(sum / Number(static_cast<double>(a.data.size())));
  }

  static matrix<Number> function(std::string_view word, matrix<Number> const& a) {
    if (word == "mean") return mean(a);
    if (word == "var") {
      Number const centre = mean(a).data[0];
      return mean(each(a, [&](Number const& x) { return (x - centre) * (x - centre); }));
    }
    return each(a, [&](Number const& x) -> Number {
      using std::erf, std::exp, std::log1p, std::tanh;
      if (word == "exp") return exp(x);
      if (word == "log1p") return log1p(x);
      if (word == "tanh") return tanh(x);
      if (word == "Phi") return Number(0.5) * (Number(1) + erf(x * Number(1 / std::numbers::sqrt2)));
      if (word == "phi") return exp(-x * x * Number(0.5)) * Number(1 / std::sqrt(2 * std::numbers::pi));
      throw std::logic_error("oracle: no function " + std::string(word));
    });
  }

  static matrix<Number> application(op operation, matrix<Number> const& x) {
    calculus::formulas all(node{.operation = operation});
    formula_point<Number> const point{.symbol = [&](std::string_view, std::size_t) { return x; }};
    return formula_value(all, point)(calculus::rule_of(operation).value(all));
  }

  bool holds(int at) const {
    calculus::formula_node const& n = all_[at];
    bool const chained = all_[n.parts[1]].is == form::relation;
    Number const a = value(n.parts[0]).data[0];
    Number const b = value(chained ? part(n.parts[1], 0) : n.parts[1]).data[0];
    bool const here = n.name.text == ">" ? a > b : n.name.text == "<=" ? a <= b : b > a;
    return here && (!chained || holds(n.parts[1]));
  }

  matrix<Number> total(int at) const {
    matrix<Number> sum;
    for (std::size_t j = 0; j < point_.keys; ++j) {
      matrix<Number> const next = with_key(j).value(at);
      sum = j == 0 ? next : combined(sum, next, [](Number const& a, Number const& b) { return a + b; });
    }
    return sum;
  }

  /// exp(s_ij) / sum_j exp(s_ij), over the keys that are there and for which the condition holds.
  matrix<Number> softmax(int at) const {
    using std::exp;
    auto counts = [&](formula_value const& there) { return part(at, 1) < 0 || there.holds(part(at, 1)); };
    if (!counts(*this)) return number_of(Number(0));
    Number sum(0);
    Number const own = value(part(at, 0)).data[0];
    for (std::size_t j = 0; j < point_.keys; ++j)
      if (formula_value const there = with_key(j); counts(there)) sum += exp(there.value(part(at, 0)).data[0] - own);
    return number_of(Number(1) / sum);
  }

  calculus::formulas const& all_;
  formula_point<Number> const& point_;
  std::size_t key_ = 0;
  std::optional<std::pair<std::string_view, matrix<Number>>> variable_{};  // of a map that is applied
};

}  // namespace residua::oracle
