//! residua: an axis was expected, as in axis<"d", 768>
//! block "b"
//! in cross(...)
//! given: a number
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;

#ifdef WRONG
inline constexpr auto X = attention<"X">(d, heads<12>, cross(512));
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#else
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#endif
