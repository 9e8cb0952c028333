//! residua: a stream was expected, as in stream(B, T, d)
//! block "inner"
//! given: the axis "d"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), d, [](auto z, auto memory) {
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
