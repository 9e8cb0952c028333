//! residua: the two sides have different shapes
//! block "b"
//! inner_of_different_shapes.cpp:10
//! first of inner: (B, T, h = 3072)
//! second of inner: (B, T, d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - inner(up(x), x) * x; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x - inner(F(x), x) * x; });
#endif
