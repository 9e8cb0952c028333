#pragma once
#include <residua/placements/common.hpp>

// Numbers and vectors on the skip or the branch. Constants are functions of the depth, as numbers: `constant<"alpha">(...)` names
// one.
namespace residua::placements {

/// DeepNorm: N(alpha x + F(x)). J = J_N (alpha I + J_F); without a final norm. The scheme is alpha together with beta.
/// Source: Wang et al. 2022, 2203.00555.
template <class X, class N, class F, class Alpha>
constexpr auto deep_norm(X const& from, N norm, F branch, Alpha alpha, line where = line::current()) {
  return detail::placed<N, F>(
      "in deep_norm(x, N, F, alpha)", where, [&](auto const& x) { return norm(alpha * x + branch(x)); }, from);
}

/// (2 L)^(1/4), for an encoder or a decoder alone.
constexpr double deep_norm_alpha(int layers) { return detail::root(detail::root(2.0 * layers)); }
/// (8 L)^(-1/4): Xavier's gain at initialisation of the MLP's matrices, the values' and the output projection's.
constexpr double deep_norm_beta(int layers) { return 1 / detail::root(detail::root(8.0 * layers)); }
/// Of encoder and decoder together, N and M layers. The encoder's: 0.81 (N^4 M)^(1/16), 0.87 (N^4 M)^(-1/16).
struct deep_norm_constants {
  double alpha, beta;
};
constexpr deep_norm_constants deep_norm_encoder(int encoder_layers, int decoder_layers) {
  double const n = encoder_layers;
  double const sixteenth = detail::root(detail::root(detail::root(detail::root(n * n * n * n * decoder_layers))));
  return {0.81 * sixteenth, 0.87 / sixteenth};
}
/// The decoder's: (3 M)^(1/4), (12 M)^(-1/4).
constexpr deep_norm_constants deep_norm_decoder(int decoder_layers) {
  return {detail::root(detail::root(3.0 * decoder_layers)), 1 / detail::root(detail::root(12.0 * decoder_layers))};
}

/// Normed skip: z = N(x), y = alpha z + F(z). J = (alpha I + J_F) J_N; with a final norm. Alpha is 1 in the option of Megatron.
/// Source: Zeng et al. 2022, 2210.02414 (GLM-130B).
template <class X, class N, class F, class Alpha>
constexpr auto normed_skip(X const& from, N norm, F branch, Alpha alpha, line where = line::current()) {
  auto sum = [&](auto const& x) {
    auto z = norm(x);
    return alpha * z + branch(z);
  };
  return detail::placed<N, F>("in normed_skip(x, N, F, alpha)", where, sum, from);
}
/// (2 L)^(1/2), of GLM-130B's and ChatGLM-6B's code.
constexpr double normed_skip_alpha(int layers) { return detail::root(2.0 * layers); }

/// Admin: N(omega .* x + F(x)), omega learned. J = J_N (diag(omega) + J_F); without a final norm. At initialisation omega is
/// the root of the variances of the branches before, added up, as one batch with omega = 1 shows them.
/// Source: Liu et al. 2020, 2004.08249.
template <text Omega, class X, class N, class F>
constexpr auto admin(X const& from, N norm, F branch, line where = line::current()) {
  auto sum = [&]<class S>(S const& x) { return norm(learned_vector<Omega>(detail::axis_of<S>{}) * x + branch(x)); };
  return detail::placed<N, F>("in admin<\"omega\">(x, N, F)", where, sum, from);
}

/// ReZero, SkipInit: x + alpha F(x), alpha learned and 0 at initialisation; ReZero's code has one for both branches of a layer.
/// J = I + alpha J_F; without a norm. Source: Bachlechner et al. 2020, 2003.04887; De, Smith 2020, 2002.10444.
template <text Alpha, class X, class F>
constexpr auto rezero(X const& from, F branch, line where = line::current()) {
  return detail::placed<F>(
      "in rezero<\"alpha\">(x, F)", where, [&](auto const& x) { return x + learned_scalar<Alpha> * branch(x); }, from);
}

/// Fixup: x + s F(x + b1) + b2, s, b1 and b2 learned below `Name`: 1, 0 and 0 at initialisation. J = I + s J_F; without a norm.
/// Biases before the branch's other layers are the branch's own, and its last layer starts at 0.
/// Source: Zhang et al. 2019, 1901.09321.
template <text Name, class X, class F>
constexpr auto fixup(X const& from, F branch, line where = line::current()) {
  auto sum = [&](auto const& x) {
    auto before = detail::named<Name>(x, where, [&] { return x + learned_scalar<"b1">; });
    auto f = branch(before);
    return x + detail::named<Name>(x, where, [&] { return learned_scalar<"s"> * f + learned_scalar<"b2">; });
  };
  return detail::placed<F>("in fixup<\"fixup\">(x, F)", where, sum, from);
}

/// LayerScale: x + gamma .* F(N(x)), gamma learned. J = I + diag(gamma) J_F J_N; with a final norm.
/// Source: Touvron et al. 2021, 2103.17239 (CaiT).
template <text Gamma, class X, class N, class F>
constexpr auto layer_scale(X const& from, N norm, F branch, line where = line::current()) {
  auto sum = [&]<class S>(S const& x) { return x + learned_vector<Gamma>(detail::axis_of<S>{}) * branch(norm(x)); };
  return detail::placed<N, F>("in layer_scale<\"gamma\">(x, N, F)", where, sum, from);
}
/// Gamma at initialisation, by the paper: 0.1 up to 18 layers, 1e-5 up to 24, 1e-6 beyond. Released code has other values.
constexpr double layer_scale_gamma(int layers) { return layers <= 18 ? 0.1 : layers <= 24 ? 1e-5 : 1e-6; }

/// LayerNorm scaling: x + F(s N(x)). J = I + s J_F J_N; with a final norm, which is not scaled.
/// Source: Sun et al. 2025, 2502.05795.
template <class X, class N, class F, class S>
constexpr auto layer_norm_scaling(X const& from, N norm, F branch, S scale, line where = line::current()) {
  return detail::placed<N, F>(
      "in layer_norm_scaling(x, N, F, s)", where, [&](auto const& x) { return x + branch(scale * norm(x)); }, from);
}
/// layer^(-1/2), the first layer's number being 1; one number for both norms of a layer.
constexpr double layer_norm_scale(int layer) { return 1 / detail::root(layer); }

/// NormFormer's MLP: lambda .* x + F(N(x)), lambda learned and 1 at initialisation; F has a norm on its hidden axis. Attention's
/// sublayer is peri_norm. J = diag(lambda) + J_F J_N; with a final norm. Source: Shleifer et al. 2021, 2110.09456.
template <text Lambda, class X, class N, class F>
constexpr auto norm_former(X const& from, N norm, F branch, line where = line::current()) {
  auto sum = [&]<class S>(S const& x) { return learned_vector<Lambda>(detail::axis_of<S>{}) * x + branch(norm(x)); };
  return detail::placed<N, F>("in norm_former<\"lambda\">(x, N, F)", where, sum, from);
}

}  // namespace residua::placements
