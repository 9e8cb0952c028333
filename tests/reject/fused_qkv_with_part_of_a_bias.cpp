//! residua: two options cannot both hold
//! block "b"
//! attention<"A">(...)
//! fused_qkv and part of a bias
//! fused, they have one: qkv_bias
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, fused_qkv, q_bias, v_bias);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, fused_qkv, qkv_bias);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
