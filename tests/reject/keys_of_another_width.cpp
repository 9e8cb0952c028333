//! residua: keys and values are as wide as their heads
//! block "b"
//! keys_of_another_width.cpp
//! name "A"
//! keys: (B, T, h = 3072)
//! heads: 12, each of width 64
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attend<"A">(d, heads<12>)(x, up(x), x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attend<"A">(d, heads<12>)(x, down(up(x)), x); });
#endif
