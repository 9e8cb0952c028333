//! residua: a name must be an identifier and no C++ keyword
//! stream "my r"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream<"my r">(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream<"r">(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#endif
