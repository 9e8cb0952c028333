//! residua: the two sides have different shapes
//! block "b"
//! shapes_differ_by_name.cpp:14
//! left of +: (B, T, d = 768)
//! right of +: (B, T, e = 768)
//! axis 3 differs in name: d, e
#include "common.hpp"

inline constexpr axis<"e", 768> e;
inline constexpr auto to_e = linear<"W">(d, e);
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x
    + to_e(x);  // the message names this line
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + renamed(to_e(x), e, d);
});
#endif
