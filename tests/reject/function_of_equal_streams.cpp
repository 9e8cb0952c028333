//! residua: a function of the block's streams was expected, as in [](auto x, auto r) { ... }
//! block "b"
//! as one argument: [](auto s)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams<2>(stream(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#else
inline constexpr auto b = block<"b">(streams<2>(stream(B, T, d)), [](auto s) { return streams(s[1], s[0]); });
#endif
