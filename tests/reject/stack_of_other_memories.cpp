//! residua: the layers of a stack must read one stream
//! block "s"
//! layer 1
//! in their memory
//! layer 0: (B, S, e = 512)
//! this layer: (B, S, h = 3072)
//! axis 3 differs: e = 512, h = 3072
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
inline constexpr auto Y = attention<"X">(d, heads<12>, cross(h));
inline constexpr auto wide = block<"decoder">(stream(B, T, d), stream(B, S, h), [](auto x, auto memory) {
  return x + Y(N(x), memory);
});

#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto layer) {
  if constexpr (layer == 0) return decoder;
  else return wide;
});
#else
inline constexpr auto s = stack<"s", 2>(wide);
#endif
