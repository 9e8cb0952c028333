//! residua: this is applied to two expressions, as in X(q, memory)
//! block "b"
//! memory_missing.cpp:11
//! the operation "X"
//! given: one
#include "common.hpp"

inline constexpr auto X = attention<"X">(d, heads<12>, cross);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + X(N(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + X(N(x), x); });
#endif
