//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! the operation "F"
//! given: the operation "N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
