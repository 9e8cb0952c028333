//! residua: an expression was expected
//! block "b"
//! the operation "X"
//! given: a number
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 512> e;
inline constexpr auto X = attention<"X">(d, heads<12>, cross(e));

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, [[maybe_unused]] auto memory) {
  return x + X(N(x), 7);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, e), [](auto x, [[maybe_unused]] auto memory) {
  return x + X(N(x), memory);
});
#endif
