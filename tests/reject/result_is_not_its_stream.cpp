//! residua: a block must give back the stream it was given
//! block "b"
//! stream "r"
//! stream: (B, T, h = 3072)
//! result: (B, T, d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream<"r">(B, T, h)), [](auto x, auto r) { return streams(x, down(r)); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream<"r">(B, T, h)), [](auto x, auto r) { return streams(x + down(r), r); });
#endif
