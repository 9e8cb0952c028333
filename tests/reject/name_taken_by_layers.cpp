//! residua: two different operations have one name
//! block "b"
//! name "h"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 2>(x, [&](auto) { x += F(N(x)); });
  layers<"h", 2>(x, [&](auto) { x += F(x); });
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 2>(x, [&](auto) { x += F(N(x)); });
  layers<"g", 2>(x, [&](auto) { x += F(x); });
  return x;
});
#endif
