//! residua: the Jacobian is not the expected one
//! in block "s"
//! expected: I
//! found: (I + J_s.3.F J_s.3.N) (I +
//! J_s.2.F J_s.2.N) (I + J_s.1.F
//! J_s.1.N) (I + J_s.0.F J_s.0.N)
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
inline constexpr auto s = stack<"s", 4>(b);

#ifdef WRONG
static_assert(is<"I">(jacobian(s)));
#else
static_assert(is<"(I + J_s.3.F J_s.3.N) (I + J_s.2.F J_s.2.N) (I + J_s.1.F J_s.1.N) (I + J_s.0.F J_s.0.N)">(jacobian(s)));
#endif
