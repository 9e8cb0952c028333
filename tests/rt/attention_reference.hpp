// What attention_problem.hpp must give, by the formulas with explicit masks, in double and with dual numbers.
#pragma once
#include "attention_problem.hpp"

namespace residua::test {

/// A number with its derivative along one direction.
struct dual {
  double value = 0, slope = 0;
  dual operator+(dual b) const { return {value + b.value, slope + b.slope}; }
  dual operator-(dual b) const { return {value - b.value, slope - b.slope}; }
  dual operator*(dual b) const { return {value * b.value, slope * b.value + value * b.slope}; }
  dual operator/(dual b) const { return {value / b.value, (slope - value / b.value * b.slope) / b.value}; }
};
inline dual exp(dual x) { return {std::exp(x.value), std::exp(x.value) * x.slope}; }
inline dual tanh(dual x) { return {std::tanh(x.value), (1 - std::tanh(x.value) * std::tanh(x.value)) * x.slope}; }

/// 2^(-8 a / n), for heads that are no power of two as the authors of ALiBi take them.
inline double slope(index heads, index head) {
  auto const of = [](index n, index a) { return std::pow(2.0, -8.0 * static_cast<double>(a + 1) / static_cast<double>(n)); };
  index power = 1;
  while (2 * power <= heads) power *= 2;
  return head < power ? of(power, head) : of(2 * power, 2 * (head - power));
}

/// The same by the formulas.
struct reference {
  index width;
  std::vector<double> o, d_o, lse, gq, gk, gv;

  template <class Real>
  explicit reference(problem<Real> const& p) : width(p.s.options.head_width) {
    auto const& options = p.s.options;
    auto const size = [](auto const& m) { return static_cast<std::size_t>(m.rows() * m.columns()); };
    o.resize(size(p.q)), d_o = gq = o;
    gk.resize(size(p.k)), gv = gk;
    lse.resize(static_cast<std::size_t>(p.queries() * options.heads));
    auto const at = [](std::vector<double>& m, index columns, index i, index j) -> double& {
      return m[static_cast<std::size_t>(i * columns + j)];
    };
    for (index row = 0; row < p.queries(); ++row)
      for (index head = 0; head < options.heads; ++head) {
        index const sequence = row / p.s.layout.tokens, token = row % p.s.layout.tokens;
        index const to = head * width, from = head / p.group() * width;
        std::vector<index> rows;
        std::vector<double> caps;
        std::vector<dual> weights;
        for (index j = 0; j < p.s.layout.keys; ++j) {
          if (!p.allowed(sequence, token, j)) continue;
          index const key = p.key_row(sequence, j);
          dual score;
          for (index c = 0; c < width; ++c)
            score = score + dual{static_cast<double>(p.q.at(row, to + c)), static_cast<double>(p.dq.at(row, to + c))} *
                                dual{static_cast<double>(p.k.at(key, from + c)), static_cast<double>(p.dk.at(key, from + c))};
          score = dual{options.scale} * score;
          caps.push_back(1);
          if (options.softcap != 0) {
            dual const t = tanh(score / dual{options.softcap});
            score = dual{options.softcap} * t;
            caps.back() = 1 - t.value * t.value;
          }
          if (options.alibi)
            score.value -= slope(options.heads, head) * static_cast<double>(std::abs(p.s.layout.position + token - j));
          rows.push_back(key);
          weights.push_back(score);
        }
        double top = -std::numeric_limits<double>::infinity();
        dual total;
        for (dual w : weights) top = std::max(top, w.value);
        for (dual& w : weights) total = total + (w = exp(w - dual{top}));
        at(lse, options.heads, row, head) = top + std::log(total.value);
        for (dual& w : weights) w = w / total;
        double delta = 0;
        for (index c = 0; c < width; ++c) {
          dual sum;
          for (std::size_t n = 0; n < rows.size(); ++n)
            sum = sum + weights[n] *
                            dual{static_cast<double>(p.v.at(rows[n], from + c)), static_cast<double>(p.dv.at(rows[n], from + c))};
          at(o, p.wide(), row, to + c) = sum.value;
          at(d_o, p.wide(), row, to + c) = sum.slope;
          delta += sum.value * static_cast<double>(p.go.at(row, to + c));
        }
        for (std::size_t n = 0; n < rows.size(); ++n) {
          double change = -delta;
          for (index c = 0; c < width; ++c)
            change += static_cast<double>(p.go.at(row, to + c)) * static_cast<double>(p.v.at(rows[n], from + c));
          change *= weights[n].value * caps[n] * options.scale;
          for (index c = 0; c < width; ++c) {
            at(gq, p.wide(), row, to + c) += change * static_cast<double>(p.k.at(rows[n], from + c));
            at(gk, p.narrow(), rows[n], from + c) += change * static_cast<double>(p.q.at(row, to + c));
            at(gv, p.narrow(), rows[n], from + c) += weights[n].value * static_cast<double>(p.go.at(row, to + c));
          }
        }
      }
  }

  template <class Real>
  static void compare(worst& w, std::string const& name, guarded<Real> const& actual, std::vector<double> const& expected,
                      double tolerance) {
    double largest = 1;
    for (double e : expected)
      if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
    for (index i = 0; i < actual.rows(); ++i)
      for (index j = 0; j < actual.columns(); ++j)
        w.compare(static_cast<double>(actual.at(i, j)), expected[static_cast<std::size_t>(i * actual.columns() + j)],
                  tolerance * largest, name + place(i, j));
  }

  template <class Real>
  void compare_sums(worst& w, problem<Real> const& p, double tolerance) const {
    double largest = 1;
    for (double e : lse)
      if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
    for (index i = 0; i < p.queries(); ++i)
      for (index head = 0; head < p.s.options.heads; ++head)
        w.compare(p.log_sum(i, head), lse[static_cast<std::size_t>(i * p.s.options.heads + head)], tolerance * largest,
                  "lse" + place(i, head));
  }

  /// `tolerance` in epsilons of the largest element.
  template <class Real>
  void check(problem<Real> const& p, double tolerance, std::string const& where) const {
    worst w;
    tolerance *= epsilon_of<Real>;
    compare(w, "o", p.o, o, tolerance);
    compare(w, "o of the jvp", p.o_again, o, tolerance);
    compare(w, "d_o", p.d_o, d_o, tolerance);
    compare_sums(w, p, tolerance);
    compare(w, "gq", p.gq, gq, tolerance);
    if (!p.ring()) compare(w, "gk", p.gk, gk, tolerance);
    if (!p.ring()) compare(w, "gv", p.gv, gv, tolerance);
    RESIDUA_CHECK_WORST(w, where);
  }
};

}  // namespace residua::test
