//! residua: a function of the block's streams was expected, as in [](auto x, auto r) { ... }
//! block "b"
//! arguments: 2
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x) { return x; });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r + x); });
#endif
