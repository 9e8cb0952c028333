//! residua: a number can multiply an expression, but not be added to it
//! operand of +
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 3; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 3 * x; });
#endif
