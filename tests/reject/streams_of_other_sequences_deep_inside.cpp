//! residua: queries and memory must agree in every axis before that of their tokens
//! block "inner"
//! stream: (B, T, d = 768)
//! memory: (T, B, d = 768)
//! axis 1 differs in name: B, T
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), stream(T, B, d), [](auto z, auto memory) {
      return z + memory;
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
