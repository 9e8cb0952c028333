//! residua: a function of the layer was expected, as in [&](auto layer) { ... }
//! block "b"
//! given: the operation "F"
//! layers "h"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 12>(x, F);
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  layers<"h", 12>(x, [&](auto) { x = F(x); });
  return x;
});
#endif
