//! residua: a rotary width must be even and at most the head width
//! block "b"
//! attention<"A">(...)
//! rotary width: 128
//! head width: 64
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, rope(rotary_width<128>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, head_width<128>, rope(rotary_width<128>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
