//! residua: the number of layers is one or more
//! stack "s"
//! made as: stack<"s", 12>(block)
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#ifdef WRONG
inline constexpr auto s = stack<"s">(12, b);
#else
inline constexpr auto s = stack<"s", 12>(b);
#endif
