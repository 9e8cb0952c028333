#pragma once
// The number behind a displayed formula: an operator of the calculus as a dense matrix. The factors come from the closed
// forms of the catalogue (2.3, 3.9), written here once more, and not from dual numbers.
#include "derivative.hpp"

namespace residua::oracle {

inline matrix<double> identity_matrix(std::size_t n) {
  matrix<double> one(n, n);
  for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

inline matrix<double> product(matrix<double> const& a, matrix<double> const& b) {
  if (a.columns != b.rows) throw std::logic_error("oracle: factors that do not fit");
  matrix<double> c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  return c;
}

/// f'(x), from the catalogue.
inline double activation_slope(op operation, double x) {
  double const s = 1 / (1 + std::exp(-x));
  double const t = std::tanh(x);
  double const normal = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  double const below = std::erfc(-x / std::numbers::sqrt2) / 2;
  switch (operation) {
    case op::tanh: return 1 - t * t;
    case op::relu: return x > 0 ? 1 : 0;
    case op::relu_squared: return x > 0 ? 2 * x : 0;
    case op::gelu_erf: return below + x * normal;
    case op::gelu_tanh: {
      double const k = std::sqrt(2 / std::numbers::pi);
      double const th = std::tanh(k * (x + 0.044715 * x * x * x));
      return 0.5 * (1 + th) + 0.5 * x * (1 - th * th) * k * (1 + 3 * 0.044715 * x * x);
    }
    case op::silu: return s * (1 + x * (1 - s));
    case op::sigmoid: return s * (1 - s);
    case op::softplus: return s;
    default: throw std::logic_error("oracle: no activation");
  }
}

/// Evaluates operators at one point: all tokens at once, so that a matrix maps (tokens * width in) to (tokens * width out).
class operator_value {
 public:
  explicit operator_value(problem<double> const& p) : problem_(p), values_(evaluate(p)) {}

  /// The matrix of what `derive(graph, request)` returned.
  matrix<double> operator()(calculus::derivative_request const& request) const {
    calculus::linear_operator const made = calculus::derive(problem_.graph, request);
    int const output = request.inside < 0 ? problem_.graph.output : call(request.inside).result;
    std::size_t const rows = values_[static_cast<std::size_t>(output)].size();
    std::size_t columns = problem_.x.size();
    if (!request.of_stream) columns = variable(problem_, path_of(problem_.graph, request.wrt)).size();
    else if (request.inside >= 0) columns = values_[static_cast<std::size_t>(call(request.inside).argument)].size();
    if (made.root.is_zero()) return matrix<double>(rows, columns);
    return apply(made.pool, made.root, identity_matrix(columns));
  }

 private:
  dsl::call const& call(int at) const { return problem_.graph.calls[static_cast<std::size_t>(at)]; }
  std::vector<double> const& weights(node const& n, calculus::role which) const {
    return variable(problem_, path_of(problem_.graph, {n.scope, which}));
  }

  /// coefficient scalars factor ... factor right
  matrix<double> apply(calculus::operator_pool const& pool, calculus::term const& t, matrix<double> right) const {
    std::vector<int> const factors = pool.factors_of(t.product);
    for (std::size_t i = factors.size(); i > 0; --i) right = apply(pool, pool[factors[i - 1]], right);
    double scale = t.coefficient;
    for (int at : t.scalars) {
      node const& n = node_at(problem_.graph, at);
      scale *= n.has_weight ? weights(n, calculus::role::itself).at(0) : n.number;
    }
    for (double& each : right.data) each *= scale;
    return right;
  }

  matrix<double> apply(calculus::operator_pool const& pool, calculus::product_factor const& f,
                       matrix<double> const& right) const {
    switch (f.kind) {
      case calculus::atom::local:
        return product(local(node_at(problem_.graph, f.index), static_cast<std::size_t>(f.operand)), right);
      case calculus::atom::branch: return product((*this)({.inside = f.index}), right);
      case calculus::atom::parameter:
        return product(by_parameter(node_at(problem_.graph, f.index), static_cast<calculus::role>(f.operand)), right);
      case calculus::atom::sum: {
        matrix<double> sum;
        for (calculus::term const& each : f.terms) {
          matrix<double> const next = apply(pool, each, right);
          if (sum.data.empty()) sum = next;
          else if (sum.rows != next.rows || sum.columns != next.columns) throw std::logic_error("oracle: terms that do not fit");
          else
            for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += next.data[i];
        }
        return sum;
      }
    }
    throw std::logic_error("oracle: no factor");
  }

  /// One entry after another of a matrix that has a block per token.
  template <class Entry>
  matrix<double> per_token(node const& n, std::size_t in, Entry const& entry) const {
    std::size_t const tokens = tokens_of(problem_.lengths, n.shape);
    std::size_t const width = width_of(problem_.lengths, n.shape);
    matrix<double> made(tokens * width, tokens * in);
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < in; ++j) made(t * width + i, t * in + j) = entry(t, i, j);
    return made;
  }
  template <class Entry>
  matrix<double> diagonal(node const& n, Entry const& entry) const {
    std::size_t const width = width_of(problem_.lengths, n.shape);
    return per_token(n, width,
                     [&](std::size_t t, std::size_t i, std::size_t j) { return i == j ? entry(t * width + i, i) : 0.0; });
  }

  double gain(node const& n, std::size_t i) const {
    return n.has_weight ? weights(n, calculus::role::weight).at(i) + (n.unit_offset ? 1 : 0) : 1;
  }

  struct statistics {
    double mean = 0;
    double s = 0;
  };
  statistics statistics_of(node const& n, double const* row, std::size_t width) const {
    statistics found;
    double const d = static_cast<double>(width);
    for (std::size_t i = 0; i < width && n.operation == op::layer_norm; ++i) found.mean += row[i] / d;
    double square = 0;
    for (std::size_t i = 0; i < width; ++i) square += (row[i] - found.mean) * (row[i] - found.mean) / d;
    found.s = std::sqrt(square + n.number);
    return found;
  }

  /// The Jacobian of one operation with respect to one operand.
  matrix<double> local(node const& n, std::size_t k) const {
    std::vector<double> const& x = values_[static_cast<std::size_t>(n.operands[k])];
    std::size_t const in = width_of(problem_.lengths, operand_of(problem_.graph, n, k).shape);
    switch (n.operation) {
      case op::vector_multiple:
        return diagonal(n, [&](std::size_t, std::size_t i) { return weights(n, calculus::role::itself).at(i); });
      case op::hadamard:
        return diagonal(n, [&](std::size_t e, std::size_t) { return values_[static_cast<std::size_t>(n.operands[1 - k])][e]; });
      case op::layer_norm:
      case op::rms_norm: {
        // D[g] (1/s) (I - 11'/n - xh xh'/n), without 11' for rms_norm
        double const d = static_cast<double>(in);
        double const centred = n.operation == op::layer_norm ? 1 : 0;
        return per_token(n, in, [&](std::size_t t, std::size_t i, std::size_t j) {
          double const* row = x.data() + t * in;
          statistics const at = statistics_of(n, row, in);
          double const xi = (row[i] - at.mean) / at.s;
          double const xj = (row[j] - at.mean) / at.s;
          return gain(n, i) / at.s * ((i == j ? 1 : 0) - centred / d - xi * xj / d);
        });
      }
      case op::linear: {
        std::size_t const out = width_of(problem_.lengths, n.shape);
        std::vector<double> const& w = weights(n, calculus::role::weight);  // (in, out)
        return per_token(n, in, [&](std::size_t, std::size_t i, std::size_t j) { return w[j * out + i]; });
      }
      default: return diagonal(n, [&](std::size_t e, std::size_t) { return activation_slope(n.operation, x[e]); });
    }
  }

  /// The derivative of one operation by its own parameter: (tokens * width, parameter).
  matrix<double> by_parameter(node const& n, calculus::role which) const {
    std::size_t const tokens = tokens_of(problem_.lengths, n.shape);
    std::size_t const width = width_of(problem_.lengths, n.shape);
    std::size_t const in = width_of(problem_.lengths, operand_of(problem_.graph, n).shape);
    std::vector<double> const& x = values_[static_cast<std::size_t>(n.operands[0])];
    matrix<double> made(tokens * width, weights(n, which).size());
    for (std::size_t t = 0; t < tokens; ++t) {
      statistics const at = statistics_of(n, x.data() + t * in, in);
      for (std::size_t i = 0; i < width; ++i) {
        std::size_t const e = t * width + i;
        if (which == calculus::role::bias) made(e, i) = 1;
        else if (n.operation == op::linear)
          for (std::size_t k = 0; k < in; ++k) made(e, k * width + i) = x[t * in + k];
        else if (n.operation == op::scalar_multiple) made(e, 0) = x[e];
        else if (n.operation == op::vector_multiple) made(e, i) = x[e];
        else made(e, i) = (x[e] - at.mean) / at.s;
      }
    }
    return made;
  }

  problem<double> const& problem_;
  std::vector<std::vector<double>> values_;
};

}  // namespace residua::oracle
