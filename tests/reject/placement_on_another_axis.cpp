//! residua: a norm is made for another axis than the expression ends in
//! block "b"
//! placement_on_another_axis.cpp:13
//! name "N"
//! takes: (..., h = 3072)
#include "common.hpp"
#include <residua/placements.hpp>
using residua::placements::pre_norm;
inline constexpr auto Nh = layer_norm<"N">(h);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return pre_norm(x, Nh, F);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return pre_norm(x, N, F);
});
#endif
