//! residua: the name is missing
//! made as: block<"b">(stream, ...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block("b", stream(B, T, d), [](auto x) { return x + F(N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
