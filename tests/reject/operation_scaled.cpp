//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! operation_scaled.cpp:9
//! operand of *
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 0.5 * F; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 0.5 * F(x); });
#endif
