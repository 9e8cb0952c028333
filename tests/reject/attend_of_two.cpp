//! residua: this is applied to three expressions, as in A(q, k, v)
//! block "b"
//! the operation "A"
//! given: 2
#include "common.hpp"

inline constexpr auto A = attend<"A">(d, heads<12>, causal);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(x, N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(x, N(x), x); });
#endif
