//! residua: the Jacobian is not the expected one
//! in block "b"
//! expected: J_X J_N
//! found: J_X.memory J_N
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr auto X = attention<"X">(d, heads<12>, cross);
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) {
  return x + X(N(x), N(memory));
});

#ifdef WRONG
static_assert(is<"J_X J_N">(jacobian(b, by_memory)));
#else
static_assert(is<"J_X.memory J_N">(jacobian(b, by_memory)));
#endif
