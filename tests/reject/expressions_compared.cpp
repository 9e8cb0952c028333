//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! expressions_compared.cpp:9
//! in a comparison
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  if (x == N(x)) return F(x);
  return x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
