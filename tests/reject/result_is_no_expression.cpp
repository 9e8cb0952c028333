//! residua: the function of a block or branch must return an expression
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { static_cast<void>(x); return 3; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return 3 * x; });
#endif
