//! residua: the key and value heads do not divide the heads
//! block "b"
//! attention<"A">(...)
//! heads: 12
//! key and value heads: 5
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, kv_heads<5>, causal);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, kv_heads<4>, causal);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
