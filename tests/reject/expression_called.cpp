//! residua: an expression was called like an operation
//! block "b"
//! expression_called.cpp:7
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + x(F); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
