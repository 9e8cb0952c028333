//! residua: an expression was expected
//! +
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 3; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + 3 * x; });
#endif
