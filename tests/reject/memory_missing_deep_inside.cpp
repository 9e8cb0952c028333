//! residua: this is applied to two expressions, as in X(q, memory)
//! block "inner"
//! memory_missing_deep_inside.cpp:12
//! the operation "X"
//! given: one
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"X">(d, heads<12>, cross)(z);
    })(y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z + attention<"X">(d, heads<12>, cross)(z, z);
    })(y);
  })(x);
});
#endif
