//! residua: an operation is applied to one expression
//! block "b"
//! self_attention_of_two.cpp:11
//! the operation "A"
//! given: several, made without cross
#include "common.hpp"

inline constexpr auto A = attention<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x), x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
