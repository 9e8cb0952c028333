// The placements of <residua/placements.hpp>: their Jacobians and verdicts against the papers', written out here, and their
// constants. Catches a norm in another's place, a number on the wrong side, and a constant of another depth.
#include "placement_blocks.hpp"

namespace {
using namespace placement_blocks;

static_assert(is<"J_N2 (I + J_M) J_N1 (I + J_A)">(jacobian(post_norm)));
static_assert(is<"(I + J_M J_N2) (I + J_A J_N1)">(jacobian(pre_norm)));
static_assert(is<"(I + J_N4 J_M J_N3) (I + J_N2 J_A J_N1)">(jacobian(peri_norm)));
static_assert(is<"(I + J_N2 J_M) (I + J_N1 J_A)">(jacobian(res_post_norm)));
static_assert(is<"(a I + J_M) J_N2 (a I + J_A) J_N1">(jacobian(normed_skip)));
static_assert(is<"(diag(lambda) + J_M J_N3) (I + J_N2 J_A J_N1)">(jacobian(norm_former)));
static_assert(is<"J_N2 (a I + J_M) J_N1 (a I + J_A)">(jacobian(deep_norm)));
static_assert(is<"J_N2 (diag(w2) + J_M) J_N1 (diag(w1) + J_A)">(jacobian(admin)));
static_assert(is<"(I + alpha J_M) (I + alpha J_A)">(jacobian(rezero)));
static_assert(is<"I + f.s J_M">(jacobian(fixup)));
static_assert(is<"(I + diag(g2) J_M J_N2) (I + diag(g1) J_A J_N1)">(jacobian(layer_scale)));
static_assert(is<"[[J_N (I + J_M), 0], [J_M, I]]">(jacobian(resi_dual)));
static_assert(is<"J_N2 ((I + J_M) J_N1 (I + J_A) + I)">(jacobian(b2t)));
static_assert(is<"(I + J_M) J_N (I + J_A)">(jacobian(hybrid_norm)));
static_assert(is<"(I + s J_M J_N2) (I + s J_A J_N1)">(jacobian(layer_norm_scaling)));
static_assert(is<"I + (J_A + J_M) J_N">(jacobian(parallel)));
static_assert(is<"I + J_A J_N1 + J_M J_N2">(jacobian(parallel_two_norms)));
static_assert(is<"J_Nf (I + 0.5 J_M2 J_N4) (I + J_M J_N3) (I + J_A J_N2) (I + 0.5 J_M1 J_N1)">(jacobian(conformer)));
static_assert(is<"[[(I + 0.5 J_M J_N3) J_N1, 0.5 J_M J_N3 J_N2], [J_M J_N3 J_N1, I + J_M J_N3 J_N2]]">(jacobian(siamese_norm)));
static_assert(is<"I + J_M J_N">(jacobian(gpas)));
static_assert(is<"(I - diag(silu(g))) (I + J_M J_N)">(jacobian(gpas, of_value)));
static_assert(is<"I + diag(at_each_token(memory)) J_M J_N">(jacobian(drop_path)));
static_assert(is<"I + diag(at_each_token(memory)) J_M J_N">(jacobian(prores)));
static_assert(is<"(-diag(x) + diag(M(x))) diag(sigmoid') J_W + diag(1 - sigmoid(W(x))) + diag(sigmoid(W(x))) J_M">(jacobian(highway)));
static_assert(is<"(I + J_M J_N2) (I + J_A J_N1 + w I)">(jacobian(u_net)));
static_assert(is<"(I + J_M J_N2) (mix.l (I + J_A J_N1) + mix.l0 I)">(jacobian(embedding_again)));

// A bare I stays on the path of these; the others have a norm on it, or a parameter.
static_assert(is<"direct">(identity_route(pre_norm)) && is<"direct">(identity_route(peri_norm)) &&
              is<"direct">(identity_route(res_post_norm)) && is<"direct">(identity_route(parallel)) &&
              is<"direct">(identity_route(layer_scale)) && is<"direct">(identity_route(layer_norm_scaling)) &&
              is<"direct">(identity_route(gpas)) && is<"direct">(identity_route(rezero)));
static_assert(is<"direct on r">(identity_route(resi_dual)) && is<"direct on r">(identity_route(siamese_norm)));
static_assert(is<"through: J_N2 J_N1">(identity_route(post_norm)) && is<"through: a^2 J_N2 J_N1">(identity_route(deep_norm)) &&
              is<"through: J_N2 (J_N1 + I)">(identity_route(b2t)) && is<"through: J_N">(identity_route(hybrid_norm)));
static_assert(identity_route(highway) == route::gated && identity_route(mix_norm).norms == 2);

// Of three layers, the first is less than a quarter: none is post-norm.
static_assert(is<"direct">(identity_route(placements::mix_norm<"h", 3>(post_norm, pre_norm))));

// A branch that reads a memory is a function of the other argument; what it captures is seen.
constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, axis<"S">{}, d), [](auto x, auto memory) {
  auto u = placements::post_norm(x, N1, A);
  u = placements::post_norm(u, N2, [&](auto z) { return attention<"X">(d, heads<12>, cross)(z, memory); });
  return placements::post_norm(u, N3, M);
});
static_assert(is<"J_N3 (I + J_M) J_N2 (I + J_X) J_N1 (I + J_A)">(jacobian(decoder)));
static_assert(is<"J_N3 (I + J_M) J_N2 J_X.memory">(jacobian(decoder, by_memory)));

// The streams of a layer with two branches.
constexpr auto two_branches = over_two([](auto x, auto r) {
  auto [u, s] = placements::resi_dual(x, r, N1, A);
  return placements::resi_dual(u, s, N2, M, 0.5);
});
static_assert(is<"[[J_N2 (I + J_M) J_N1 (I + J_A), 0], [J_A + 0.5 J_M J_N1 (I + J_A), I]]">(jacobian(two_branches)));

constexpr bool close(double value, double expected) { return value - expected < 1e-12 && expected - value < 1e-12; }
static_assert(close(placements::deep_norm_alpha(32), 2.8284271247461903) && close(placements::deep_norm_beta(2), 0.5));
static_assert(close(placements::deep_norm_encoder(1, 1).alpha, 0.81) && close(placements::deep_norm_encoder(1, 1).beta, 0.87));
static_assert(close(placements::deep_norm_encoder(16, 1).alpha, 1.62) && close(placements::deep_norm_encoder(2, 4096).beta, 0.435));
static_assert(close(placements::deep_norm_decoder(27).alpha, 3) && close(placements::deep_norm_decoder(108).beta, 1.0 / 6));
static_assert(close(placements::normed_skip_alpha(50), 10) && placements::layer_norm_scale(4) == 0.5);
static_assert(placements::layer_norm_scale(1) == 1 && close(placements::siamese_norm_c(0), 1.4142135623730951));
static_assert(placements::layer_scale_gamma(18) == 0.1 && placements::layer_scale_gamma(24) == 1e-5 && placements::layer_scale_gamma(25) == 1e-6);
static_assert(placements::drop_path_rate(0, 5, 0.4) == 0 && placements::drop_path_rate(4, 5, 0.4) == 0.4 && placements::drop_path_rate(0, 1, 0.4) == 0);
static_assert(placements::prores_scale(2, 50, 100) == 0.25 && placements::prores_scale(1, 300, 100) == 1);
}  // namespace

int main() {}
