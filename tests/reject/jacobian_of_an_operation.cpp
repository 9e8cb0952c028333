//! residua: a block was expected
//! in jacobian(...)
//! given: the operation "F"
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#ifdef WRONG
static_assert(jacobian(F) == "J_F");
#else
static_assert(jacobian(b) == "I + J_F J_N");
#endif
