//! residua: a stream was expected, as in stream(B, T, d)
//! in streams(...)
//! given: the axis "d"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), d), [](auto x, auto r) { return streams(x, r); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r); });
#endif
