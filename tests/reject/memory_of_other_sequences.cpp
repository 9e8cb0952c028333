//! residua: queries and memory must agree in every axis before that of their tokens
//! block "b"
//! name "X"
//! queries: (B, T, d = 768)
//! memory: (C, S, e = 512)
//! axis 1 differs in name: B, C
#include "common.hpp"

inline constexpr axis<"C"> C;
inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), renamed(memory, B, C));
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), renamed(renamed(memory, B, C), C, B));
});
#endif
