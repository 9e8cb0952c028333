//! residua: a rotary width must be even and at most the head width
//! block "b"
//! attention<"A">(...)
//! rotary width: 3
//! head width: 3
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<256>, rope);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<256>, rope(rotary_width<2>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
