#pragma once
#include <residua/placements/common.hpp>

// Two streams beside each other, as docs/streams.md has them; each function gives both back.
namespace residua::placements {

/// ResiDual: f = F(x), (N(x + f), r + s f). J = [[J_N (I + J_F), 0], [s J_F, I]]. Both begin with the embedding, r divided by s;
/// the result is x + N_d(r), N_d with epsilon 1e-7. Source: Xie et al. 2023, 2304.14802.
template <class X, class R, class N, class F>
constexpr auto resi_dual(X const& from, R const& other, N norm, F branch, double scale = 1, line where = line::current()) {
  auto both = [&](auto const& x, auto const& r) {
    auto f = branch(x);
    return streams(norm(x + f), scale == 1 ? r + f : r + scale * f);
  };
  return detail::placed<N, F>("in resi_dual(x, r, N, F)", where, both, from, other);
}

/// SiameseNorm: p = N_post(x), z = F(N_in(p + N_pre(y))), (p + z / c, y + z). The result is N_f(N_a(x) + N_b(y)).
/// J = [[J_Npost + G J_Npost / c, G J_Npre / c], [G J_Npost, I + G J_Npre]], G = J_F J_Nin. Source: Li et al. 2026, 2602.08064.
template <class X, class Y, class Post, class Pre, class In, class F, class C>
constexpr auto siamese_norm(X const& from, Y const& other, Post post, Pre pre, In in, F branch, C c,
                            line where = line::current()) {
  auto both = [&](auto const& x, auto const& y) {
    auto p = post(x);
    auto z = branch(in(p + pre(y)));
    return streams(p + z / c, y + z);
  };
  return detail::placed<Post, Pre, In, F>("in siamese_norm(x, y, Npost, Npre, Nin, F, c)", where, both, from, other);
}
/// (2 (layer + 1))^(1/2), the first layer's number being 0; one number for both sublayers.
constexpr double siamese_norm_c(int layer) { return detail::root(2.0 * (layer + 1)); }

}  // namespace residua::placements
