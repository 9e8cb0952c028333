//! residua: the name is missing
//! block "b"
//! made as: attention<"A">(axis, ...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
