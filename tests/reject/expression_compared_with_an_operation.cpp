//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! compared_with_an_operation.cpp:8
//! in a comparison
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return N != x ? x : F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
