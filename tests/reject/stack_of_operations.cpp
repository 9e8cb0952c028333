//! residua: a block was expected
//! block "s"
//! layer 0
//! given: the operation "F"
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto) { return F; });
#else
inline constexpr auto s = stack<"s", 2>([](auto) { return b; });
#endif
