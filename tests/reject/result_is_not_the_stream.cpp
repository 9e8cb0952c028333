//! residua: a block must give back the stream it was given
//! block "b"
//! stream: (B, T, d = 768)
//! result: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return up(x); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return up(x); });
#endif
