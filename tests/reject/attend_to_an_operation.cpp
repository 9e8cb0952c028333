//! residua: this is applied to three expressions, as in A(q, k, v)
//! block "b"
//! the operation "A"
//! given: the operation "N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attend<"A">(d, heads<12>)(x, x, N); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + attend<"A">(d, heads<12>)(x, x, N(x)); });
#endif
