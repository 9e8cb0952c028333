#pragma once
#include <residua/placements/common.hpp>

// Gates, and numbers of the call.
namespace residua::placements {

/// Highway: t = sigmoid(x W + b), y = (1 - t) .* x + t .* F(x); `Gate` is the linear map, its bias -1 to -3 at initialisation.
/// J = diag(1 - t) + diag(t) J_F + diag(F(x) - x) J_t. Source: Srivastava et al. 2015, 1505.00387.
template <text Gate, class X, class F>
constexpr auto highway(X const& from, F branch, line where = line::current()) {
  auto gated = [&]<class S>(S const& x) {
    detail::axis_of<S> d;
    auto t = sigmoid(linear<Gate>(d, d, with_bias)(x));
    return hadamard(1 - t, x) + hadamard(t, branch(x));
  };
  return detail::placed<F>("in highway<\"gate\">(x, F)", where, gated, from);
}

/// GPAS: y - silu(g) sg(y) of a sublayer's result y, g learned and 0 at initialisation. What is trained has J = I, the value
/// (1 - silu(g)) I. It stands on other placements: gpas<"g">(pre_norm(x, N, F)). Source: 2506.22049.
template <text Gate, class X>
constexpr auto gpas(X const& from, line where = line::current()) {
  return detail::placed(
      "in gpas<\"g\">(y)", where, [&](auto const& y) { return y - silu(at_each_token(learned_scalar<Gate>, y)) * stopped(y); },
      from);
}

/// Stochastic depth: x + s F(N(x)), s a condition of each sequence, (B, one, one): m / p in training, m drawn with probability p
/// of being 1, and 1 otherwise. J = I + diag(s) J_F J_N; with a final norm. Source: Huang et al. 2016, 1603.09382; timm.
template <class X, class N, class F, class S>
constexpr auto drop_path(X const& from, N norm, F branch, S const& kept, line where = line::current()) {
  return detail::placed<N, F>(
      "in drop_path(x, N, F, s)", where, [&](auto const& x, auto const& s) { return x + at_each_token(s, x) * branch(norm(x)); },
      from, kept);
}
/// 1 - p of layer 0, 1, ...: the drop probability grows linearly from 0 to `most`.
constexpr double drop_path_rate(int layer, int layers, double most) { return layers > 1 ? most * layer / (layers - 1) : 0; }

/// ProRes: x + a F(N(x)), a a condition of each sequence, (B, one, one), one number for all. J = I + diag(a) J_F J_N; with a
/// final norm. Source: 2603.05369.
template <class X, class N, class F, class S>
constexpr auto prores(X const& from, N norm, F branch, S const& scale, line where = line::current()) {
  return detail::placed<N, F>(
      "in prores(x, N, F, a)", where, [&](auto const& x, auto const& a) { return x + at_each_token(a, x) * branch(norm(x)); },
      from, scale);
}
/// a of layer 1, 2, ... at this step: from 0 to 1 linearly, in `warm_up` steps in the first layer, twice as many in the second.
constexpr double prores_scale(int layer, double step, double warm_up) {
  double const a = step / (warm_up * layer);
  return a < 1 ? a : 1;
}

}  // namespace residua::placements
