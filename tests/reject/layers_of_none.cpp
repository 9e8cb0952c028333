//! residua: the number of layers is one or more
//! block "b"
//! layers: 0
//! layers "h"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 0>(x, [&](auto) { x += F(N(x)); });
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 1>(x, [&](auto) { x += F(N(x)); });
  return x;
});
#endif
