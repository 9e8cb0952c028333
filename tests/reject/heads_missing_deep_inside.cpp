//! residua: an attention needs its number of heads, as in heads<12>
//! block "inner"
//! heads_missing_deep_inside.cpp:11
//! attention<"A">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"A">(d, causal)(N(z));
    })(y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"A">(d, heads<12>, causal)(N(z));
    })(y);
  })(x);
});
#endif
