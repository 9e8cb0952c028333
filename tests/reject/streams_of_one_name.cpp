//! residua: two streams have one name
//! block "b"
//! name "x1"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream<"x1">(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#else
inline constexpr auto b = block<"b">(streams(stream<"r">(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#endif
