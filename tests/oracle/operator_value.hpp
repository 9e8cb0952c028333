#pragma once
// The number behind a displayed formula: an operator of the calculus as a dense matrix. The factors come from the closed
// forms of the catalogue (2.3, 3.9), written here once more, and not from dual numbers.
#include <residua/reference/derivative.hpp>

namespace residua::oracle {

using namespace reference;

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
    int const output = request.inside < 0 ? problem_.graph.output() : call(request.inside).result;
    std::size_t const rows = values_[static_cast<std::size_t>(output)].size();
    std::size_t columns = request.input == 0 ? problem_.x.size() : problem_.memory.size();
    if (!request.of_stream) columns = variable(problem_, path_of(problem_.graph, request.wrt)).size();
    else if (request.inside >= 0)
      columns =
          values_[static_cast<std::size_t>(request.input == 0 ? call(request.inside).argument : call(request.inside).memory)]
              .size();
    if (made.root.is_zero()) return matrix<double>(rows, columns);
    return apply(made.pool, made.root, identity_matrix(columns));
  }

 private:
  graph::call const& call(int at) const { return problem_.graph.calls[static_cast<std::size_t>(at)]; }
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
      scale *= calculus::reads(n, calculus::role::itself) ? weights(n, calculus::role::itself).at(0) : n.factor;
    }
    for (double& each : right.data) each *= scale;
    return right;
  }

  matrix<double> apply(calculus::operator_pool const& pool, calculus::product_factor const& f,
                       matrix<double> const& right) const {
    switch (f.kind) {
      case calculus::atom::local:
        return product(local(node_at(problem_.graph, f.index), static_cast<std::size_t>(f.operand)), right);
      case calculus::atom::branch: return product((*this)({.input = f.operand, .inside = f.index}), right);
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
    found.s = std::sqrt(square + n.epsilon);
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
        std::size_t const own = in / static_cast<std::size_t>(n.groups);  // of one head
        double const d = static_cast<double>(own);
        double const centred = n.operation == op::layer_norm ? 1 : 0;
        return per_token(n, in, [&](std::size_t t, std::size_t i, std::size_t j) {
          if (i / own != j / own) return 0.0;
          double const* row = x.data() + t * in + i / own * own;
          statistics const at = statistics_of(n, row, own);
          double const xi = (row[i % own] - at.mean) / at.s;
          double const xj = (row[j % own] - at.mean) / at.s;
          return gain(n, i % own) / at.s * ((i == j ? 1 : 0) - centred / d - xi * xj / d);
        });
      }
      case op::linear: {
        std::size_t const out = width_of(problem_.lengths, n.shape);
        std::vector<double> const& w = weights(n, calculus::role::weight);  // (in, out)
        return per_token(n, in, [&](std::size_t, std::size_t i, std::size_t j) { return w[j * out + i]; });
      }
      case op::columns:
        return per_token(n, in, [&](std::size_t, std::size_t i, std::size_t j) {
          return j == i + static_cast<std::size_t>(n.first_feature) ? 1.0 : 0.0;
        });
      case op::rope: return rotation(n);
      case op::attend: return attention(n, k);
      default: return diagonal(n, [&](std::size_t e, std::size_t) { return activation_slope(n.operation, x[e]); });
    }
  }

  /// R(i) of every token and head.
  matrix<double> rotation(node const& n) const {
    graph::rope_value const& r = n.attention->rope;
    std::size_t const width = width_of(problem_.lengths, n.shape);
    std::size_t const length = sequence_length(problem_.lengths, n.shape);
    auto const head_width = static_cast<std::size_t>(n.attention->head_width);
    matrix<double> made = identity_matrix(tokens_of(problem_.lengths, n.shape) * width);
    for (std::size_t e = 0; e < made.rows; e += head_width)
      for (std::size_t k = 0; k < static_cast<std::size_t>(r.width / 2); ++k) {
        double const angle = rotary_angle(r, k, e / width % length);
        auto const [a, b] = rotary_pair(r, k);
        made(e + a, e + a) = made(e + b, e + b) = std::cos(angle);
        made(e + a, e + b) = -std::sin(angle);
        made(e + b, e + a) = std::sin(angle);
      }
    return made;
  }

  /// The blocks of an attention's Jacobian (catalogue 3.1), by queries, keys or values: (all o, all of the operand).
  matrix<double> attention(node const& n, std::size_t by) const {
    attention_extents const e(problem_.lengths, problem_.graph, n);
    auto value = [&](std::size_t k) -> std::vector<double> const& { return values_[static_cast<std::size_t>(n.operands[k])]; };
    std::vector<double> const &q = value(0), &k = value(1), &v = value(2);
    std::vector<double> const o = attended(problem_, n, q, k, v);
    std::vector<std::int64_t> const lengths = key_lengths_of(problem_, n);
    matrix<double> made(o.size(), value(by).size());
    for (std::size_t s = 0; s < e.sequences; ++s)
      for (std::size_t i = 0; i < e.queries; ++i)
        for (std::size_t head = 0; head < e.heads; ++head) {
          std::vector<double> slopes;
          std::vector<double> const p = attention_weights(n, e, q, k, s, i, head, lengths[s], &slopes);
          std::size_t const row = e.query(s, i, head);
          for (std::size_t j = 0; j < e.keys; ++j) {
            std::size_t const key = e.key(s, j, head);
            double const weight = n.attention->scale * p[j] * slopes[j];
            for (std::size_t a = 0; a < e.head_width; ++a) {
              if (by == 2) made(row + a, key + a) += p[j];
              for (std::size_t b = 0; b < e.head_width && by < 2; ++b)
                made(row + a, by == 0 ? row + b : key + b) +=
                    weight * (v[key + a] - o[row + a]) * (by == 0 ? k[key + b] : q[row + b]);
            }
          }
        }
    return made;
  }

  /// The derivative of one operation by its own parameter: (tokens * width, parameter).
  matrix<double> by_parameter(node const& n, calculus::role which) const {
    std::size_t const tokens = tokens_of(problem_.lengths, n.shape);
    std::size_t const width = width_of(problem_.lengths, n.shape);
    std::size_t const in = width_of(problem_.lengths, operand_of(problem_.graph, n).shape);
    std::vector<double> const& x = values_[static_cast<std::size_t>(n.operands[0])];
    matrix<double> made(tokens * width, weights(n, which).size());
    std::size_t const own = in / static_cast<std::size_t>(n.groups);  // of one head
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t i = 0; i < width; ++i) {
        std::size_t const e = t * width + i;
        if (which == calculus::role::bias) made(e, i % weights(n, which).size()) = 1;
        else if (n.operation == op::linear)
          for (std::size_t k = 0; k < in; ++k) made(e, k * width + i) = x[t * in + k];
        else if (n.operation == op::scalar_multiple) made(e, 0) = x[e];
        else if (n.operation == op::vector_multiple) made(e, i) = x[e];
        else {
          statistics const at = statistics_of(n, x.data() + t * in + i / own * own, own);
          made(e, i % own) = (x[e] - at.mean) / at.s;
        }
      }
    }
    return made;
  }

  problem<double> const& problem_;
  std::vector<std::vector<double>> values_;
};

}  // namespace residua::oracle
