//! residua: two options cannot both hold
//! block "b"
//! attention<"A">(...)
//! given: no_bias and a bias
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, no_bias, o_bias);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, o_bias);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
