//! residua: two options cannot both hold
//! block "b"
//! in attention<"X">(...)
//! given: fused_qkv and cross
//! keys and values have another input
#include "common.hpp"

inline constexpr axis<"S"> S;

#ifdef WRONG
inline constexpr auto X = attention<"X">(d, heads<12>, cross, fused_qkv);
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) {
  return x + X(x, memory);
});
#else
inline constexpr auto X = attention<"X">(d, heads<12>, cross);
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) {
  return x + X(x, memory);
});
#endif
