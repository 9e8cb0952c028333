//! residua: the two sides have different shapes
//! block "inner"
//! differ_in_an_inner_block.cpp:12
//! left of +: (B, T, d = 768)
//! right of +: (B, T, h = 3072)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + up(z);  // the message names this line
    })(y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + F(z);
    })(y);
  })(x);
});
#endif
