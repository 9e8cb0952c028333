//! residua: an attention needs its number of heads, as in heads<12>
//! block "b"
//! in attention<"X">(...)
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + attention<"X">(d, cross(e))(N(x), memory);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  return x + attention<"X">(d, heads<12>, cross(e))(N(x), memory);
});
#endif
