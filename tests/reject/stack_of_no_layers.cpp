//! residua: the number of layers is one or more
//! block "s"
//! layers: 0
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 0>(b);
#else
inline constexpr auto s = stack<"s", 1>(b);
#endif
