//! residua: this is applied to two expressions, as in X(q, memory)
//! block "b"
//! memory_missing_in_a_branch.cpp:11
//! the operation "X"
//! given: one
#include "common.hpp"

inline constexpr auto X = attention<"X">(d, heads<12>, cross);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(N | X)(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">([](auto y) { return X(N(y), y); })(x); });
#endif
