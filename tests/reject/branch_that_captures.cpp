//! residua: the function of a block or branch must not capture
//! branch "K"
//! branch_that_captures.cpp:9
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto const z = N(x);
  return x + branch<"K">([z](auto y) { return z + y; })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto const z = N(x);
  return x + (z + F(x));
});
#endif
