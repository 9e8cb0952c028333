//! residua: an axis was expected, as in axis<"d", 768>
//! block "b"
//! made as: attention<"A">(axis, ...)
//! given: the option "heads<12>"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
