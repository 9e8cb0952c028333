//! residua: an expression was expected
//! in inner(a, b)
//! given: other than two arguments
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - inner(F(x)) * x; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - inner(F(x), x) * x; });
#endif
