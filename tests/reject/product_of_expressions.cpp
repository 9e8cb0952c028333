//! residua: expressions are multiplied by hadamard(a, b), not by *
//! block "b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x * F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return hadamard(x, F(x)); });
#endif
