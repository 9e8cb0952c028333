//! residua: a function of two expressions was expected, as in [](auto x, auto memory) { ... }
//! block "inner"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), stream(B, T, d), [](auto z) {
      return z + F(z);
    })(y, y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), stream(B, T, d), [](auto z, auto memory) {
      return z + memory;
    })(y, y);
  })(x);
});
#endif
