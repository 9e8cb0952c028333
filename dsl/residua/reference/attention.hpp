#pragma once
// Attention and rotary positions from their formulas (catalogue 3.1 to 3.3), with the whole matrix of scores.
#include <cmath>
#include <numbers>

#include <residua/reference/problem.hpp>

namespace residua::reference {

/// The angle by which pair k of a head turns at token i.
inline double rotary_angle(graph::rope_value const& r, std::size_t k, std::size_t i) {
  double frequency = std::pow(r.base, -2.0 * static_cast<double>(k) / static_cast<double>(r.width));
  if (r.factor != 1) {
    double const wavelength = 2 * std::numbers::pi / frequency;
    if (wavelength > r.old_length / r.low) frequency /= r.factor;
    else if (wavelength >= r.old_length / r.high) {
      double const smooth = (r.old_length / wavelength - r.low) / (r.high - r.low);
      frequency = (1 - smooth) * frequency / r.factor + smooth * frequency;
    }
  }
  return static_cast<double>(i) * frequency;
}

/// The two channels of a pair within a head.
inline std::pair<std::size_t, std::size_t> rotary_pair(graph::rope_value const& r, std::size_t k) {
  auto const half = static_cast<std::size_t>(r.width / 2);
  return r.interleaved ? std::pair{2 * k, 2 * k + 1} : std::pair{k, k + half};
}

/// A sine or cosine: of numbers with errors, one that knows that a kernel steps from angle to angle.
template <class Number>
Number of_angle(double value, [[maybe_unused]] double angle) {
  if constexpr (requires { Number::unit; }) {
    Number number(value);
    number.error += Number::unit * (8 + 4 * std::abs(angle));
    return number;
  } else {
    return static_cast<Number>(value);
  }
}

/// R(i) of each head's first channels.
template <class Number>
std::vector<Number> rotated(node const& n, std::vector<Number> const& x, std::size_t length) {
  graph::rope_value const& r = n.attention->rope;
  auto const head_width = static_cast<std::size_t>(n.attention->head_width);
  std::size_t const width = static_cast<std::size_t>(n.groups) * head_width;
  std::vector<Number> y = x;
  for (std::size_t t = 0; t < x.size() / width; ++t)
    for (std::size_t head = 0; head < static_cast<std::size_t>(n.groups); ++head)
      for (std::size_t k = 0; k < static_cast<std::size_t>(r.width / 2); ++k) {
        double const angle = rotary_angle(r, k, t % length);
        auto const c = of_angle<Number>(std::cos(angle), angle);
        auto const s = of_angle<Number>(std::sin(angle), angle);
        auto const [a, b] = rotary_pair(r, k);
        std::size_t const at = t * width + head * head_width;
        y[at + a] = c * x[at + a] - s * x[at + b];
        y[at + b] = s * x[at + a] + c * x[at + b];
      }
  return y;
}

/// ALiBi's slope of head 0, 1, ...: 2^(-8 (head + 1) / heads) for a power of two; otherwise those of the power of two
/// below, and then every second one of twice it.
inline double alibi_slope(std::int64_t head, std::int64_t heads) {
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  if (head < power) return std::pow(2.0, -8.0 * static_cast<double>(head + 1) / static_cast<double>(power));
  return std::pow(2.0, -4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power));
}

/// Whether query i may see key j of `length` keys.
inline bool may_see(graph::attention_value const& a, std::int64_t i, std::int64_t j, std::int64_t length) {
  if (j >= length || (a.causal && j > i)) return false;
  if (a.window > 0 && a.causal) return i - j < a.window;
  if (a.window > 0) return std::abs(i - j) <= a.window / 2;
  return true;
}

/// The sizes of one attention.
struct attention_extents {
  std::size_t heads, kv_heads, head_width, queries, keys, sequences;

  attention_extents(extents const& lengths, graph_view const& graph, node const& n)
      : heads(static_cast<std::size_t>(n.attention->heads)),
        kv_heads(static_cast<std::size_t>(n.attention->kv_heads)),
        head_width(static_cast<std::size_t>(n.attention->head_width)),
        queries(sequence_length(lengths, n.shape)),
        keys(sequence_length(lengths, operand_of(graph, n, 1).shape)),
        sequences(sequences_of(lengths, n.shape)) {}

  std::size_t query(std::size_t s, std::size_t i, std::size_t head) const {
    return ((s * queries + i) * heads + head) * head_width;
  }
  std::size_t key(std::size_t s, std::size_t j, std::size_t head) const {
    return ((s * keys + j) * kv_heads + head / (heads / kv_heads)) * head_width;
  }
};

/// The tokens of each sequence that its keys have.
template <class Number>
std::vector<std::int64_t> key_lengths_of(problem<Number> const& p, node const& n) {
  attention_extents const e(p.lengths, p.graph, n);
  int const keys = operand_of(p.graph, n, 1).tokens;
  int last = 0;  // the token space of the memory, or of the last stream that has its own
  for (int at : p.graph.inputs) last = std::max(last, p.graph[at].tokens);
  bool const padded = keys == 0 || keys == last;
  std::vector<std::int64_t> const& given = keys == 0 ? p.key_lengths : p.memory_lengths;
  return given.empty() || !padded ? std::vector<std::int64_t>(e.sequences, static_cast<std::int64_t>(e.keys)) : given;
}

/// exp(s_j) / sum_k exp(s_k)
template <class Number>
std::vector<Number> softmax(std::vector<Number> scores) {
  using std::exp;
  if (scores.empty()) return scores;
  Number most = scores[0];
  for (Number const& each : scores)
    if (each > most) most = each;
  auto sum = static_cast<Number>(0.0);
  for (Number& each : scores) {
    each = exp(each - most);
    sum += each;
  }
  for (Number& each : scores) each = each / sum;
  return scores;
}

/// p_ij of one head and query, all keys; zeros where none may be seen. `slopes`, if wanted: f_ij of the soft cap.
template <class Number>
std::vector<Number> attention_weights(node const& n, attention_extents const& e, std::vector<Number> const& q,
                                      std::vector<Number> const& k, std::size_t s, std::size_t i, std::size_t head,
                                      std::int64_t length, std::vector<double>* slopes = nullptr) {
  using std::tanh;
  graph::attention_value const& a = *n.attention;
  std::vector<Number> p(e.keys, static_cast<Number>(0.0));
  if (slopes) slopes->assign(e.keys, 0.0);
  std::vector<Number> scores;
  std::vector<std::size_t> seen;
  for (std::size_t j = 0; j < e.keys; ++j) {
    if (!may_see(a, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), length)) continue;
    auto dot = static_cast<Number>(0.0);
    for (std::size_t c = 0; c < e.head_width; ++c) dot += q[e.query(s, i, head) + c] * k[e.key(s, j, head) + c];
    Number score = static_cast<Number>(a.scale) * dot;
    if (a.softcap > 0) {
      Number const t = tanh(score / static_cast<Number>(a.softcap));
      score = static_cast<Number>(a.softcap) * t;
      if constexpr (std::is_same_v<Number, double>)
        if (slopes) (*slopes)[j] = 1 - t * t;
    } else if (slopes) {
      (*slopes)[j] = 1;
    }
    if (a.alibi) {
      double const distance = std::abs(static_cast<double>(i) - static_cast<double>(j));
      score += static_cast<Number>(-alibi_slope(static_cast<std::int64_t>(head), a.heads) * distance);
    }
    scores.push_back(score);
    seen.push_back(j);
  }
  scores = softmax(std::move(scores));
  for (std::size_t at = 0; at < seen.size(); ++at) p[seen[at]] = scores[at];
  return p;
}

/// o_i = sum_j p_ij v_j, for every sequence, head and token.
template <class Number>
std::vector<Number> attended(problem<Number> const& p, node const& n, std::vector<Number> const& q, std::vector<Number> const& k,
                             std::vector<Number> const& v) {
  attention_extents const e(p.lengths, p.graph, n);
  std::vector<std::int64_t> const lengths = key_lengths_of(p, n);
  std::vector<Number> o(e.sequences * e.queries * e.heads * e.head_width, static_cast<Number>(0.0));
  for (std::size_t s = 0; s < e.sequences; ++s)
    for (std::size_t i = 0; i < e.queries; ++i)
      for (std::size_t head = 0; head < e.heads; ++head) {
        std::vector<Number> const weights = attention_weights(n, e, q, k, s, i, head, lengths[s]);
        for (std::size_t j = 0; j < e.keys; ++j) {
          if (!may_see(*n.attention, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), lengths[s])) continue;
          for (std::size_t c = 0; c < e.head_width; ++c) o[e.query(s, i, head) + c] += weights[j] * v[e.key(s, j, head) + c];
        }
      }
  return o;
}

}  // namespace residua::reference
