//! residua: a shape names an axis twice
//! block "b"
//! name "renamed"
//! result: (T, T, d = 768)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(x, B, T); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
