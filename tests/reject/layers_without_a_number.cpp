//! residua: the number of layers is one or more
//! block "b"
//! made as: layers<"h", 12>(x, f)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h">(x, [&](auto) { x += F(N(x)); });
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 12>(x, [&](auto) { x += F(N(x)); });
  return x;
});
#endif
