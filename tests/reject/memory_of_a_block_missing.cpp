//! residua: this is applied to two expressions, as in X(q, memory)
//! block "b"
//! the block "decoder"
//! given: one
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + decoder(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + decoder(x, memory);
});
#endif
