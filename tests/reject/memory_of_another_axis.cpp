//! residua: a cross-attention is made for a memory of another feature axis
//! block "b"
//! memory_of_another_axis.cpp:16
//! name "X"
//! memory: (B, S, e = 512)
//! takes: (..., d = 768)
//! axis 3 differs: e = 512, d = 768
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;

#ifdef WRONG
inline constexpr auto X = attention<"X">(d, heads<12>, cross);
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#else
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#endif
