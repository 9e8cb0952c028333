//! residua: the layers of a stack must read one stream
//! block "s"
//! layer 1
//! in their memory
//! layer 0: (B, S, e = 512)
//! this layer: none
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));
inline constexpr auto decoder = block<"decoder">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
inline constexpr auto encoder = block<"encoder">(stream(B, T, d), [](auto x) { return x + F(N(x)); });

#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto layer) {
  if constexpr (layer == 0) return decoder;
  else return encoder;
});
#else
inline constexpr auto s = stack<"s", 2>(decoder);
#endif
