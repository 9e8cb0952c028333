//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! operation_in_hadamard.cpp:9
//! in hadamard(a, b)
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return hadamard(x, F); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return hadamard(x, F(x)); });
#endif
