//! residua: a stack is made of blocks of one stream
//! stack "s"
//! given: an operation, not applied
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(x); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>(F);
#else
inline constexpr auto s = stack<"s", 2>(b);
#endif
