//! residua: the two sides have different shapes
//! block "residual"
//! left of +: (B, T, d = 768)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto residual = block<"residual">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) {
  return streams(x + up(r), r);
});
#else
inline constexpr auto residual = block<"residual">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) {
  return streams(x + F(r), r);
});
#endif
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, r] = residual(x, x);
  auto [z, s] = stack<"h", 2>(residual)(y, r);
  return z + s;
});
static_assert(jacobian(residual, of<0>, by<1>) == "J_F");
static_assert(identity_route(residual, of<0>, by<0>) == route::direct);
