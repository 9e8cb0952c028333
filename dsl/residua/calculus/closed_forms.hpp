#pragma once
#include <residua/calculus/formula.hpp>

/// What the rows of <residua/calculus/rules.hpp> are made of, where a formula is more than a line or stands in several.
namespace residua::calculus::closed_forms {

namespace symbols {
inline constexpr symbol x{"x", "x", false};
inline constexpr symbol y{"y", "y", false};
inline constexpr symbol s{"s", "s"};
inline constexpr symbol t{"t", "t", false};
inline constexpr symbol k{"k", "k"};
inline constexpr symbol d{"d", "d"};
inline constexpr symbol xh{"xh", "\\hat{x}", false};
inline constexpr symbol ones{"1", "\\mathbf{1}", false};
inline constexpr symbol I{"I", "I", false, true};
inline constexpr symbol S{"S", "S", false};
inline constexpr symbol g{"g", "g", false};
inline constexpr symbol c{"c", "c"};
inline constexpr symbol i{"i", "i"};
inline constexpr symbol j{"j", "j"};
inline constexpr symbol q_i{"q_i", "q_i", false};
inline constexpr symbol k_j{"k_j", "k_j", false};
inline constexpr symbol v_j{"v_j", "v_j", false};
inline constexpr symbol o_i{"o_i", "o_i", false};
inline constexpr symbol p_ij{"p_ij", "p_{ij}"};
inline constexpr symbol p_i{"p_i", "p_i"};
inline constexpr symbol s_ij{"s_ij", "s_{ij}"};
inline constexpr symbol f_ij{"f_ij", "f_{ij}"};
}  // namespace symbols

constexpr formula x(formulas& f) { return f(symbols::x); }
constexpr formula identity(formulas& f) { return f(symbols::I); }

// Scalars and vectors: c x, alpha x, g .* x.
constexpr formula learned_scalar(formulas& f) { return f.parameter(role::itself, true); }
constexpr formula learned_vector(formulas& f) { return f.parameter(role::itself); }
constexpr formula factor_of(formulas& f) { return f(f.of().factor); }
constexpr formula ones(formulas& f) { return f(symbols::ones); }

// Norms: y = G xh + b per token (of groups: per head), G = diag(w), diag(1 + w) or nothing.
constexpr formula spread(formulas& f) {
  formula const centre = f.of().operation == op::layer_norm ? var(x(f)) : mean(power(x(f), 2));
  return f.define(symbols::s, sqrt(centre + f.of().epsilon));
}
constexpr formula normalised(formulas& f) {
  return f.define(symbols::xh, (f.of().operation == op::layer_norm ? x(f) - mean(x(f)) : x(f)) / spread(f));
}
constexpr formula gain(formulas& f) {
  if (!f.of().has_weight) return f.absent();
  formula const w = f.parameter(role::weight);
  return diagonal(f.of().unit_offset ? 1 + w : w);
}
constexpr formula bias(formulas& f) { return f.of().has_bias ? f.parameter(role::bias) : f.absent(); }
constexpr formula norm(formulas& f) { return gain(f) * normalised(f) + bias(f); }
/// G (I - 1 1^T/d - xh xh^T/d) / s, without 1 1^T where nothing is centred.
constexpr formula norm_jacobian(formulas& f) {
  formula const d = f(symbols::d);
  formula const ones = f(symbols::ones);
  formula const centred = f.of().operation == op::layer_norm ? ratio(outer(ones, ones), d) : f.absent();
  return gain(f) * (identity(f) - centred - ratio(outer(normalised(f), normalised(f)), d)) / spread(f);
}
constexpr formula norm_by_weight(formulas& f) {
  formula const dw = f(symbol{"dw", "dw", false});
  return map(dw, hadamard(normalised(f), dw));
}

// Linear maps: y = x W + b, each token a row.
constexpr formula linear(formulas& f) { return x(f) * f.parameter(role::weight) + bias(f); }
constexpr formula linear_by_weight(formulas& f) {
  formula const dW = f(symbol{"dW", "dW", false});
  return map(dW, x(f) * dW);
}
constexpr formula by_bias(formulas& f) {
  formula const db = f(symbol{"db", "db", false});
  return map(db, each_token(db));
}

// Functions of one number.
constexpr formula gelu_tanh_k(formula x) {
  formulas& f = *x.owner;
  return f.define(symbols::k, sqrt(ratio(f(2), f(symbol{"pi", "\\pi"}))));
}
constexpr formula gelu_tanh_t(formula x) {
  return x.owner->define(symbols::t, tanh(gelu_tanh_k(x) * (x + 0.044715 * power(x, 3))));
}
constexpr formula sigmoid_s(formula x) { return x.owner->define(symbols::s, x.owner->apply(op::sigmoid, x)); }
constexpr formula sigmoid(formula x) { return 1 / (1 + exp(-x)); }
constexpr formula sigmoid_y(formula x) { return x.owner->define(symbols::y, sigmoid(x)); }

// Features side by side: S_k selects those of operand k.
template <std::size_t K>
constexpr formula insertion(formulas& f) {
  constexpr std::array selections{symbol{"S_1", "S_1", false}, symbol{"S_2", "S_2", false}, symbol{"S_3", "S_3", false}};
  return transposed(f(selections[K]));
}
constexpr formula side_by_side(formulas& f) {
  formula const two = insertion<0>(f) * f.operand(0) + insertion<1>(f) * f.operand(1);
  return f.of().operands[2] < 0 ? two : two + insertion<2>(f) * f.operand(2);
}

// Attention, per head: o_i = sum_j p_ij v_j, with p_i = softmax_j(s_ij) over the keys j that token i may see.
constexpr formula scale(formulas& f) { return f.define(symbols::c, f(f.of().attention->scale)); }
/// c q_i . k_j / cap, within the tanh of a soft cap.
constexpr formula capped_score(formulas& f) {
  return scale(f) * dot(f(symbols::q_i), f(symbols::k_j)) / f.of().attention->softcap;
}
constexpr formula score(formulas& f) {
  graph::attention_value const& a = *f.of().attention;
  formula s = a.softcap > 0 ? a.softcap * tanh(capped_score(f)) : scale(f) * dot(f(symbols::q_i), f(symbols::k_j));
  if (a.alibi) s = s - f(symbol{"slope", "\\operatorname{slope}"}) * abs(f(symbols::i) - f(symbols::j));
  return f.define(symbols::s_ij, s);
}
/// The slope of the soft cap, where there is one.
constexpr formula cap_slope(formulas& f) {
  return f.of().attention->softcap > 0 ? f.define(symbols::f_ij, 1 - power(tanh(capped_score(f)), 2)) : f.absent();
}
/// Which keys j token i may see; absent where all.
constexpr formula visible(formulas& f) {
  graph::attention_value const& a = *f.of().attention;
  formula const i = f(symbols::i);
  formula const j = f(symbols::j);
  double const window = static_cast<double>(a.window);
  if (a.causal && a.window > 0) return i - window < (j <= i);
  if (a.causal) return j <= i;
  if (a.window > 0) return abs(i - j) <= f(static_cast<double>(a.window / 2));
  return f.absent();
}
constexpr formula mask(formulas& f) { return only_where(visible(f)); }
constexpr formula weight(formulas& f) { return f.define(symbols::p_ij, softmax(score(f), visible(f)), symbols::p_i); }
constexpr formula attended(formulas& f) { return f.define(symbols::o_i, total(weight(f) * f(symbols::v_j))); }
constexpr formula by_queries(formulas& f) {
  formula const slope = outer(f(symbols::v_j) - attended(f), f(symbols::k_j));
  return block_at(f(symbols::i), f(symbols::i), scale(f) * total(weight(f) * (cap_slope(f) * slope)));
}
constexpr formula by_keys(formulas& f) {
  formula const slope = outer(f(symbols::v_j) - attended(f), f(symbols::q_i));
  return block_at(f(symbols::i), f(symbols::j), scale(f) * (weight(f) * (cap_slope(f) * slope)));
}
constexpr formula by_values(formulas& f) { return block_at(f(symbols::i), f(symbols::j), weight(f) * identity(f)); }

}  // namespace residua::calculus::closed_forms
