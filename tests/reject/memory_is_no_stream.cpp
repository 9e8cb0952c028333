//! residua: a stream was expected, as in stream(B, T, d)
//! block "b"
//! given: the axis "e"
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), e, [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + X(N(x), memory);
});
#endif
