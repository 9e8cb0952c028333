#pragma once
// A layer of each placement of <residua/placements.hpp>: what docs/placements.md shows and the static tests pin.
#include <residua/placements.hpp>
#include <vector>

namespace placement_blocks {
using namespace residua::dsl;
namespace placements = residua::placements;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"each", 1> each;
inline constexpr axis<"d", 768> d;
inline constexpr axis<"h", 3072> h;

inline constexpr auto N = layer_norm<"N">(d);
inline constexpr auto N1 = layer_norm<"N1">(d);
inline constexpr auto N2 = layer_norm<"N2">(d);
inline constexpr auto N3 = layer_norm<"N3">(d);
inline constexpr auto N4 = layer_norm<"N4">(d);
inline constexpr auto Nf = layer_norm<"Nf">(d);
inline constexpr auto A = attention<"A">(d, heads<12>, causal);
inline constexpr auto M = branch<"M">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d));
inline constexpr auto M1 = branch<"M1">(linear<"up">(d, h) | silu | linear<"down">(h, d));
inline constexpr auto M2 = branch<"M2">(linear<"up">(d, h) | silu | linear<"down">(h, d));
inline constexpr auto a = constant<"a">(placements::deep_norm_alpha(32));
inline constexpr auto s = constant<"s">(placements::layer_norm_scale(2));

template <class Body>
constexpr auto over_stream(Body body) {
  return block<"b">(stream(B, T, d), body);
}
template <class Body>
constexpr auto over_two(Body body) {
  return block<"b">(streams(stream(B, T, d), stream<"r">(B, T, d)), body);
}
template <class Body>
constexpr auto with_number(Body body) {
  return block<"b">(stream(B, T, d), stream(B, each, one), body);
}

inline constexpr auto post_norm = over_stream([](auto x) {
  auto u = placements::post_norm(x, N1, A);
  return placements::post_norm(u, N2, M);
});
inline constexpr auto pre_norm = over_stream([](auto x) {
  auto u = placements::pre_norm(x, N1, A);
  return placements::pre_norm(u, N2, M);
});
inline constexpr auto peri_norm = over_stream([](auto x) {
  auto u = placements::peri_norm(x, N1, A, N2);
  return placements::peri_norm(u, N3, M, N4);
});
inline constexpr auto res_post_norm = over_stream([](auto x) {
  auto u = placements::res_post_norm(x, A, N1);
  return placements::res_post_norm(u, M, N2);
});
inline constexpr auto normed_skip = over_stream([](auto x) {
  auto u = placements::normed_skip(x, N1, A, a);
  return placements::normed_skip(u, N2, M, a);
});
inline constexpr auto norm_former = over_stream([](auto x) {
  auto u = placements::peri_norm(x, N1, A, N2);
  return placements::norm_former<"lambda">(u, N3, M);
});
inline constexpr auto deep_norm = over_stream([](auto x) {
  auto u = placements::deep_norm(x, N1, A, a);
  return placements::deep_norm(u, N2, M, a);
});
inline constexpr auto admin = over_stream([](auto x) {
  auto u = placements::admin<"w1">(x, N1, A);
  return placements::admin<"w2">(u, N2, M);
});
inline constexpr auto rezero = over_stream([](auto x) {
  auto u = placements::rezero<"alpha">(x, A);
  return placements::rezero<"alpha">(u, M);
});
inline constexpr auto fixup = over_stream([](auto x) { return placements::fixup<"f">(x, M); });
inline constexpr auto layer_scale = over_stream([](auto x) {
  auto u = placements::layer_scale<"g1">(x, N1, A);
  return placements::layer_scale<"g2">(u, N2, M);
});
inline constexpr auto resi_dual = over_two([](auto x, auto r) { return placements::resi_dual(x, r, N, M); });
inline constexpr auto b2t = over_stream([](auto x) { return placements::b2t(x, A, N1, M, N2); });
inline constexpr auto mix_norm = placements::mix_norm<"h", 4>(post_norm, pre_norm);
inline constexpr auto hybrid_norm = over_stream([](auto x) { return placements::hybrid_norm(x, A, N, M); });
inline constexpr auto layer_norm_scaling = over_stream([](auto x) {
  auto u = placements::layer_norm_scaling(x, N1, A, s);
  return placements::layer_norm_scaling(u, N2, M, s);
});
inline constexpr auto parallel = over_stream([](auto x) { return placements::parallel(x, N, A, M); });
inline constexpr auto parallel_two_norms = over_stream([](auto x) { return placements::parallel_two_norms(x, N1, A, N2, M); });
inline constexpr auto conformer = over_stream([](auto x) {
  auto u = placements::half_step(x, N1, M1);
  u = placements::pre_norm(u, N2, A);
  u = placements::pre_norm(u, N3, M);
  return Nf(placements::half_step(u, N4, M2));
});
inline constexpr auto highway = over_stream([](auto x) { return placements::highway<"W">(x, M); });
inline constexpr auto drop_path = with_number([](auto x, auto kept) { return placements::drop_path(x, N, M, kept); });
inline constexpr auto siamese_norm =
    over_two([](auto x, auto y) { return placements::siamese_norm(x, y, N1, N2, N3, M, placements::siamese_norm_c(1)); });
inline constexpr auto gpas = over_stream([](auto x) { return placements::gpas<"g">(placements::pre_norm(x, N, M)); });
inline constexpr auto prores = with_number([](auto x, auto scale) { return placements::prores(x, N, M, scale); });
inline constexpr auto dense_former = over_stream([](auto x) {
  std::vector history{x};
  layers<"h", 2>(x, [&](auto layer) {
    history.push_back(placements::pre_norm(x, N, M));
    x = placements::dense_former<"a", layer + 2>(history);
  });
  return x;
});
inline constexpr auto u_net = over_stream([](auto x) {
  auto first = x;
  x = placements::pre_norm(x, N1, A);
  return placements::pre_norm(placements::u_net_skip<"w">(x, first), N2, M);
});
inline constexpr auto embedding_again = over_stream([](auto x) {
  auto embedding = x;
  x = placements::pre_norm(x, N1, A);
  return placements::pre_norm(placements::embedding_again<"mix">(x, embedding), N2, M);
});

}  // namespace placement_blocks
