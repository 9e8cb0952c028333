//! residua: an axis was expected, as in axis<"d", 768>
//! block "b"
//! renamed_without_an_axis.cpp:9
//! in renamed(x, d, h)
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return renamed(x, d, 768); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
