//! residua: a block was applied to another stream than it reads
//! block "b"
//! block applied: "decoder"
//! memory given: (B, S, h = 3072)
//! memory reads: (B, S, e = 512)
//! axis 3 differs: h = 3072, e = 512
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, h), [](auto x, auto memory) {
  return decoder(x, memory);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return decoder(x, memory);
});
#endif
