//! residua: queries and memory must agree in every axis before that of their tokens
//! block "b"
//! stream: (B, T, d = 768)
//! memory: (S, e = 512)
//! rank differs: 3, 2
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#endif
