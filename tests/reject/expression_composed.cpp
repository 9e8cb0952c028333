//! residua: an operation is applied as F(x); | composes operations
//! block "b"
//! expression_composed.cpp:8
//! given: the operation "N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x | N | F; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return (N | F)(x); });
#endif
