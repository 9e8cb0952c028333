//! residua: the function of layers returns nothing: it assigns to variables that it captures
//! block "b"
//! given: an expression
//! layers "h"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return layers<"h", 12>(x, [&](auto) { return x + F(N(x)); });
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 12>(x, [&](auto) { x += F(N(x)); });
  return x;
});
#endif
