//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! in a condition
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  while (!x) x += F(N(x));
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
