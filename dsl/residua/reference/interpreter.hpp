#pragma once
// What a block means: its nodes one by one, from the mathematics, in plain loops. Shares nothing with the kernels.
#include <cmath>
#include <numbers>

#include <residua/reference/attention.hpp>

namespace residua::reference {

/// 1 / (1 + exp(-x)), log(1 + exp(x)) and max(x, 0): functions of their own, since numbers that carry more
/// than a value may know better what they do. Only overflow is stepped around.
template <class Number>
Number sigmoid(Number const& x) {
  using std::exp;
  auto const one = static_cast<Number>(1.0);
  if (x > static_cast<Number>(0.0)) return one / (one + exp(-x));
  Number const e = exp(x);
  return e / (one + e);
}
template <class Number>
Number softplus(Number const& x) {
  using std::exp, std::log1p;
  return x > static_cast<Number>(0.0) ? x + log1p(exp(-x)) : log1p(exp(x));
}
template <class Number>
Number positive_part(Number const& x) {
  auto const zero = static_cast<Number>(0.0);
  return x > zero ? x : x <= zero ? zero : x;  // NaN stays
}

/// A number that does not move with what a derivative is by.
template <class Number>
Number fixed(Number x) {
  if constexpr (requires { x.slope; }) x.slope = {};
  if constexpr (requires { x.slope_error; }) x.slope_error = {};
  return x;
}

/// The activations as the catalogue defines them (3.9).
template <class Number>
Number activated(op operation, Number const& x) {
  using std::erf, std::tanh;
  auto number = [](double value) { return static_cast<Number>(value); };
  Number const one = number(1);
  switch (operation) {
    case op::tanh: return tanh(x);
    case op::relu: return positive_part(x);
    case op::relu_squared: return positive_part(x) * positive_part(x);
    case op::gelu_erf: return number(0.5) * x * (one + erf(x * number(1 / std::numbers::sqrt2)));
    case op::gelu_tanh: {
      Number const inner = number(std::sqrt(2 / std::numbers::pi)) * (x + number(0.044715) * x * x * x);
      return number(0.5) * x * (one + tanh(inner));
    }
    case op::silu: return x * sigmoid(x);
    case op::sigmoid: return sigmoid(x);
    case op::softplus: return softplus(x);
    default: throw std::logic_error("reference: no activation");
  }
}

/// xh of one row: (x - mean) / sqrt(mean((x - mean)^2) + eps), with mean = 0 for rms_norm.
template <class Number>
std::vector<Number> normalised(op operation, double epsilon, Number const* row, std::size_t width) {
  using std::sqrt;
  auto const n = static_cast<Number>(static_cast<double>(width));
  auto mean = static_cast<Number>(0.0);
  if (operation == op::layer_norm) {
    for (std::size_t j = 0; j < width; ++j) mean += row[j];
    mean = mean / n;
  }
  auto square = static_cast<Number>(0.0);
  for (std::size_t j = 0; j < width; ++j) square += (row[j] - mean) * (row[j] - mean);
  Number const s = sqrt(square / n + static_cast<Number>(epsilon));
  std::vector<Number> xh(width);
  for (std::size_t j = 0; j < width; ++j) xh[j] = (row[j] - mean) / s;
  return xh;
}

/// The value of every node, each (tokens, width) row-major. `change(n, value)` may change one before others read it.
template <class Number, class Change>
std::vector<std::vector<Number>> evaluate(problem<Number> const& p, Change const& change) {
  std::vector<std::vector<Number>> values(p.graph.nodes.size());
  auto weights = [&](node const& n, calculus::role which) -> std::vector<Number> const& {
    std::string const path = path_of(p.graph, {n.scope, which});
    auto const found = p.weights.find(path);
    if (found == p.weights.end()) throw std::invalid_argument("reference: no parameter " + path);
    return found->second;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    node const& n = p.graph.nodes[i];
    auto operand = [&](std::size_t k) -> std::vector<Number> const& { return values[static_cast<std::size_t>(n.operands[k])]; };
    std::size_t const tokens = tokens_of(p.lengths, n.shape);
    std::size_t const width = width_of(p.lengths, n.shape);
    std::vector<Number>& y = values[i];
    y.resize(tokens * width);
    auto each = [&](auto const& value) {
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t j = 0; j < width; ++j) y[t * width + j] = value(t * width + j, j);
    };
    switch (n.operation) {
      case op::input:
        y = static_cast<int>(i) == p.graph.inputs[0] ? p.x : p.memory;
        if (y.size() != tokens * width) throw std::invalid_argument("reference: a stream has another size");
        break;
      case op::add: each([&](std::size_t e, std::size_t) { return operand(0)[e] + operand(1)[e]; }); break;
      case op::subtract: each([&](std::size_t e, std::size_t) { return operand(0)[e] - operand(1)[e]; }); break;
      case op::hadamard: each([&](std::size_t e, std::size_t) { return operand(0)[e] * operand(1)[e]; }); break;
      case op::token_multiple: each([&](std::size_t e, std::size_t) { return operand(1)[e / width] * operand(0)[e]; }); break;
      case op::at_each_token: {
        std::size_t const length = sequence_length(p.lengths, n.shape);
        for (std::size_t t = 0; t < tokens; ++t)
          for (std::size_t j = 0; j < width; ++j) y[t * width + j] = operand(0)[t / length * width + j];
        break;
      }
      case op::mean:
      case op::inner: {
        std::size_t const whole = width_of(p.lengths, operand_of(p.graph, n).shape);
        for (std::size_t t = 0; t < tokens; ++t) {
          auto sum = static_cast<Number>(0.0);
          for (std::size_t j = t * whole; j < (t + 1) * whole; ++j)
            sum += n.operation == op::mean ? operand(0)[j] : operand(0)[j] * operand(1)[j];
          y[t] = n.operation == op::mean ? sum / static_cast<Number>(static_cast<double>(whole)) : sum;
        }
        break;
      }
      case op::constant_multiple:
        each([&](std::size_t e, std::size_t) { return static_cast<Number>(n.factor) * operand(0)[e]; });
        break;
      case op::scalar_multiple: {
        Number const alpha = weights(n, calculus::role::itself).at(0);
        each([&](std::size_t e, std::size_t) { return alpha * operand(0)[e]; });
        break;
      }
      case op::vector_multiple: {
        std::vector<Number> const& g = weights(n, calculus::role::itself);  // (width)
        each([&](std::size_t e, std::size_t j) { return g.at(j) * operand(0)[e]; });
        break;
      }
      case op::renamed: y = operand(0); break;
      case op::stopped: each([&](std::size_t e, std::size_t) { return fixed(operand(0)[e]); }); break;
      case op::constant: each([&](std::size_t, std::size_t) { return static_cast<Number>(n.factor); }); break;
      case op::learned_scalar: {
        Number const alpha = weights(n, calculus::role::itself).at(0);
        each([&](std::size_t, std::size_t) { return alpha; });
        break;
      }
      case op::learned_vector: {
        std::vector<Number> const& v = weights(n, calculus::role::itself);  // (width)
        each([&](std::size_t, std::size_t j) { return v.at(j); });
        break;
      }
      case op::columns: {
        std::size_t const whole = width_of(p.lengths, operand_of(p.graph, n).shape);
        for (std::size_t t = 0; t < tokens; ++t)
          for (std::size_t j = 0; j < width; ++j)
            y[t * width + j] = operand(0)[t * whole + static_cast<std::size_t>(n.first_feature) + j];
        break;
      }
      case op::concat: {
        std::size_t first = 0;
        for (std::size_t k = 0; k < n.operands.size() && n.operands[k] >= 0; ++k) {
          std::size_t const own = width_of(p.lengths, operand_of(p.graph, n, k).shape);
          for (std::size_t t = 0; t < tokens; ++t)
            for (std::size_t j = 0; j < own; ++j) y[t * width + first + j] = operand(k)[t * own + j];
          first += own;
        }
        break;
      }
      case op::rope: y = rotated(n, operand(0), sequence_length(p.lengths, n.shape)); break;
      case op::attend: y = attended(p, n, operand(0), operand(1), operand(2)); break;
      case op::layer_norm:
      case op::rms_norm: {
        std::size_t const own = width / static_cast<std::size_t>(n.groups);  // of one head
        for (std::size_t t = 0; t < tokens * static_cast<std::size_t>(n.groups); ++t) {
          std::vector<Number> const xh = normalised(n.operation, n.epsilon, operand(0).data() + t * own, own);
          std::copy(xh.begin(), xh.end(), y.begin() + static_cast<std::ptrdiff_t>(t * own));
        }
        break;
      }
      case op::dyt: {
        using std::tanh;
        Number const alpha = weights(n, calculus::role::alpha).at(0);
        each([&](std::size_t e, std::size_t) { return tanh(alpha * operand(0)[e]); });
        break;
      }
      case op::linear: {
        std::size_t const in = width_of(p.lengths, operand_of(p.graph, n).shape);
        std::vector<Number> const& w = weights(n, calculus::role::weight);  // (in, width)
        if (w.size() != in * width) throw std::invalid_argument("reference: a weight has another size");
        for (std::size_t t = 0; t < tokens; ++t)
          for (std::size_t k = 0; k < in; ++k)
            for (std::size_t j = 0; j < width; ++j) y[t * width + j] += operand(0)[t * in + k] * w[k * width + j];
        break;
      }
      default: each([&](std::size_t e, std::size_t) { return activated(n.operation, operand(0)[e]); });
    }
    if (calculus::kind_of(n) == calculus::kind::norm && n.has_weight) {
      std::vector<Number> const& w = weights(n, calculus::role::weight);  // (width), of one head where it has heads
      auto const offset = static_cast<Number>(n.unit_offset ? 1.0 : 0.0);
      each([&](std::size_t e, std::size_t j) { return (offset + w.at(j % w.size())) * y[e]; });
    }
    if (n.has_bias) {
      std::vector<Number> const& b = weights(n, calculus::role::bias);  // (width)
      each([&](std::size_t e, std::size_t j) { return y[e] + b.at(j % b.size()); });
    }
    change(n, y);
  }
  return values;
}
template <class Number>
std::vector<std::vector<Number>> evaluate(problem<Number> const& p) {
  return evaluate(p, [](node const&, std::vector<Number> const&) {});
}

/// The block's result, (tokens, width) row-major.
template <class Number>
std::vector<Number> output(problem<Number> const& p) {
  return std::move(evaluate(p)[static_cast<std::size_t>(p.graph.output())]);
}

}  // namespace residua::reference
