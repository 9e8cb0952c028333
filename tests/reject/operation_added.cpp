//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! operand of +
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif
