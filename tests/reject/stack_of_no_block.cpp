//! residua: a block was expected
//! block "s"
//! given: the operation "F"
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>(F);
#else
inline constexpr auto s = stack<"s", 2>(b);
#endif
