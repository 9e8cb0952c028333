//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! in streams(...)
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x + r, F); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x + r, F(x)); });
#endif
