//! residua: an expression was expected
//! block "b"
//! in layers "h"
//! given: not a value and a function
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return layers<"h", 12>([&](auto) { x += F(N(x)); });
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 12>(x, [&](auto) { x += F(N(x)); });
  return x;
});
#endif
