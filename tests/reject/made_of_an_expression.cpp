//! residua: an operation is made of axes first, and then applied to an expression
//! block "b"
//! made_of_an_expression.cpp:8
//! made as: layer_norm<"N">(d)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(layer_norm<"M">(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(layer_norm<"M">(d)(x)); });
#endif
