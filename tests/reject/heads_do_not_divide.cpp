//! residua: the heads do not divide the width of the stream
//! block "b"
//! attention<"A">(...)
//! width: 768
//! heads: 7
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<7>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<7>, head_width<64>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
