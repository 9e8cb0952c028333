//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! condition_on_an_expression.cpp:9
//! in a condition
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto y = F(N(x));
  if (y) return x + y;
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
