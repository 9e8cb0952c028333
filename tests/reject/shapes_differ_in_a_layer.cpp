//! residua: the two sides have different shapes
//! block "layer"
//! shapes_differ_in_a_layer.cpp:10
//! left of +: (B, T, d = 768)
//! right of +: (B, T, h = 3072)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto) {
  return block<"layer">(stream(B, T, d), [](auto x) { return x + up(x); });
});
#else
inline constexpr auto s = stack<"s", 2>([](auto) {
  return block<"layer">(stream(B, T, d), [](auto x) { return x + F(x); });
});
#endif
