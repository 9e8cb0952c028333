//! residua: the two sides have different shapes
//! block "b"
//! shapes_differ_by_assignment.cpp:11
//! left of +: (B, T, d = 768)
//! right of +: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  x += up(N(x));
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  x += F(N(x));
  return x;
});
#endif
