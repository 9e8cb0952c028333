//! residua: the function of a block or branch must not capture
//! block "b"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = [] {
  auto f = F;
  return block<"b">(stream(B, T, d), [f](auto x) { return x + f(x); });
}();
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#endif
