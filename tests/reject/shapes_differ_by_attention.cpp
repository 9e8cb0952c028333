//! residua: the two sides have different shapes
//! block "b"
//! shapes_differ_by_attention.cpp:11
//! left of +: (B, T, h = 3072)
//! right of +: (B, T, d = 768)
#include "common.hpp"

inline constexpr auto A = attention<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return down(up(x) + A(N(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return down(up(x) + up(A(N(x)))); });
#endif
