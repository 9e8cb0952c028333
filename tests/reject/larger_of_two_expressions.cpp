//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! larger_of_two_expressions.cpp:9
//! in a comparison
#include "common.hpp"
#include <algorithm>

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return std::max(x, F(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
