//! residua: an expression was expected
//! block "b"
//! operand of +
//! given: several streams
#include "common.hpp"

inline constexpr auto widen = map<"widen">(stream(B, T, d), [](auto x) { return streams(x, F(x)); });
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + widen(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, z] = widen(x);
  return y + z;
});
#endif
