//! residua: two different operations have one name
//! block "b"
//! name "s"
#include "common.hpp"

inline constexpr auto nested = block<"inner">(stream(B, T, d), [](auto x) { return x + F(x); });
inline constexpr auto inner_twice = stack<"s", 2>(nested);
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return linear<"s">(d, d)(inner_twice(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return linear<"t">(d, d)(inner_twice(x)); });
#endif
