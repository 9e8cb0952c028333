//! residua: an option takes a positive number
//! block "inner"
//! window_of_zero_deep_inside.cpp:11
//! attention<"A">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"A">(d, heads<12>, sliding_window<0>)(N(z));
    })(y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"A">(d, heads<12>, sliding_window<2>)(N(z));
    })(y);
  })(x);
});
#endif
