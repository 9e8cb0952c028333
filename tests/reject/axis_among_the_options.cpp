//! residua: the operation does not know this option
//! block "b"
//! attention<"A">(...)
//! given: the axis "h"
//! known: see docs/attention.md
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, h, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
