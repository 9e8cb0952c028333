//! residua: a block must give back the stream it was given
//! block "b"
//! streams: 2
//! results: 1
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return x + F(r); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x + F(r), r); });
#endif
