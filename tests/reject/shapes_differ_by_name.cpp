//! residua: the two sides have different shapes
//! block "b"
//! shapes_differ_by_name.cpp:14
//! left: (B, T, d = 768)
//! right: (B, T, e = 768)
//! axis 3: d = 768, e = 768
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
