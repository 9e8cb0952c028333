//! residua: the layers of a stack must read one stream
//! block "s"
//! layer 1
//! layer 0: (B, T, d = 768)
//! this layer: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
inline constexpr auto c = block<"c">(stream(B, T, h), [](auto x) { return x + relu(x); });
inline constexpr auto relu_block = block<"relu_block">(stream(B, T, d), [](auto x) { return x + relu(x); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto layer) {
  if constexpr (layer == 0) return b;
  else return c;
});
#else
inline constexpr auto s = stack<"s", 2>([](auto layer) {
  if constexpr (layer == 0) return b;
  else return relu_block;
});
#endif
