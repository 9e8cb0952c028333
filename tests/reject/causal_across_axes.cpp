//! residua: causal attention needs queries and memory over one token axis
//! block "b"
//! name "X"
//! queries: (B, T, d = 768)
//! memory: (B, S, e = 512)
//! axis 2 differs in name: T, S
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;

#ifdef WRONG
inline constexpr auto X = attention<"X">(d, heads<12>, causal, sliding_window<128>, cross(e));
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#else
inline constexpr auto X = attention<"X">(d, heads<12>, sliding_window<128>, cross(e));
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#endif
