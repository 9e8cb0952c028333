#pragma once
#include <residua/placements/common.hpp>

// Where the norm stands, without a number or a parameter more. x: (B, T, d) -> (B, T, d) throughout.
namespace residua::placements {

/// Post-LN: N(x + F(x)). J = J_N (I + J_F); without a final norm.
/// Source: Vaswani et al. 2017, 1706.03762.
template <class X, class N, class F>
constexpr auto post_norm(X const& from, N norm, F branch, line where = line::current()) {
  return detail::placed<N, F>("in post_norm(x, N, F)", where, [&](auto const& x) { return norm(x + branch(x)); }, from);
}

/// Pre-LN: x + F(N(x)). J = I + J_F J_N; with a final norm.
/// Source: Radford et al. 2019, GPT-2; Xiong et al. 2020, 2002.04745.
template <class X, class N, class F>
constexpr auto pre_norm(X const& from, N norm, F branch, line where = line::current()) {
  return detail::placed<N, F>("in pre_norm(x, N, F)", where, [&](auto const& x) { return x + branch(norm(x)); }, from);
}

/// Peri-LN, Sandwich-LN: x + N2(F(N1(x))). J = I + J_N2 J_F J_N1; with a final norm.
/// Source: Ding et al. 2021, 2105.13290 (CogView); Kim et al. 2025, 2502.02732.
template <class X, class Before, class F, class After>
constexpr auto peri_norm(X const& from, Before before, F branch, After after, line where = line::current()) {
  return detail::placed<Before, F, After>(
      "in peri_norm(x, N1, F, N2)", where, [&](auto const& x) { return x + after(branch(before(x))); }, from);
}

/// Res-post-norm: x + N(F(x)). J = I + J_N J_F; with a final norm. Swin v2 starts N's weight and bias at 0, OLMo 2 the weight
/// at 1. Source: Liu et al. 2021, 2111.09883 (Swin v2); OLMo Team 2024, 2501.00656.
template <class X, class F, class N>
constexpr auto res_post_norm(X const& from, F branch, N norm, line where = line::current()) {
  return detail::placed<F, N>("in res_post_norm(x, F, N)", where, [&](auto const& x) { return x + norm(branch(x)); }, from);
}

/// One norm for two branches in parallel: x + A(N(x)) + M(N(x)). J = I + (J_A + J_M) J_N; with a final norm.
/// Source: Wang, Komatsuzaki 2021 (GPT-J); Chowdhery et al. 2022, 2204.02311 (PaLM).
template <class X, class N, class A, class M>
constexpr auto parallel(X const& from, N norm, A first, M second, line where = line::current()) {
  auto sum = [&](auto const& x) {
    auto z = norm(x);
    return x + first(z) + second(z);
  };
  return detail::placed<N, A, M>("in parallel(x, N, A, M)", where, sum, from);
}

/// Two branches in parallel, each with its norm: x + A(N1(x)) + M(N2(x)). J = I + J_A J_N1 + J_M J_N2; with a final norm.
/// Source: Black et al. 2022, 2204.06745 (GPT-NeoX).
template <class X, class NA, class A, class NM, class M>
constexpr auto parallel_two_norms(X const& from, NA norm1, A first, NM norm2, M second, line where = line::current()) {
  return detail::placed<NA, A, NM, M>(
      "in parallel_two_norms(x, N1, A, N2, M)", where, [&](auto const& x) { return x + first(norm1(x)) + second(norm2(x)); },
      from);
}

/// Half a step, Conformer's feed-forward: x + 1/2 F(N(x)). J = I + 1/2 J_F J_N; a norm closes each layer.
/// Source: Gulati et al. 2020, 2005.08100, after Lu et al. 2019, 1906.02762 (Macaron).
template <class X, class N, class F>
constexpr auto half_step(X const& from, N norm, F branch, line where = line::current()) {
  return detail::placed<N, F>("in half_step(x, N, F)", where, [&](auto const& x) { return x + 0.5 * branch(norm(x)); }, from);
}

/// B2T connection, a layer: u = N1(x + A(x)), y = N2(u + M(u) + x). J = J_N2 ((I + J_M) J_N1 (I + J_A) + I); without a final
/// norm. Source: Takase et al. 2022, 2206.00330.
template <class X, class NA, class A, class NM, class M>
constexpr auto b2t(X const& from, A first, NA norm1, M second, NM norm2, line where = line::current()) {
  auto layer = [&](auto const& x) {
    auto u = norm1(x + first(x));
    return norm2(u + second(u) + x);
  };
  return detail::placed<A, NA, M, NM>("in b2t(x, A, N1, M, N2)", where, layer, from);
}

/// HybridNorm, a layer: z = N(x + A(x)), y = z + M(z), where A norms queries, keys and values of each head; the first layer of
/// HybridNorm* is pre_norm twice. J = (I + J_M) J_N (I + J_A); with a final norm. Source: Zhuo et al. 2025, 2503.04598.
template <class X, class A, class N, class M>
constexpr auto hybrid_norm(X const& from, A first, N norm, M second, line where = line::current()) {
  auto layer = [&](auto const& x) {
    auto z = norm(x + first(x));
    return z + second(z);
  };
  return detail::placed<A, N, M>("in hybrid_norm(x, A, N, M)", where, layer, from);
}

/// Mix-LN: of so many layers the first quarter `post`, two blocks of one shape, the others `pre`; with a final norm.
/// Names: h.0, h.1, ... as those of a stack. Source: Li et al. 2024, 2412.13795.
template <text Name, int Layers, Operation Post, Operation Pre>
constexpr auto mix_norm(Post, Pre) {
  return stack<Name, Layers>([](auto layer) {
    if constexpr (layer < Layers / 4) return Post{};
    else return Pre{};
  });
}

}  // namespace residua::placements
