//! residua: this is applied to three expressions, as in A(q, k, v)
//! block "b"
//! the operation "A"
//! given: 1
#include "common.hpp"

inline constexpr auto A = attend<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"F">(N | A)(x); });
#else
inline constexpr auto G = branch<"F">([](auto x) { return A(N(x), N(x), N(x)); });
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + G(x); });
#endif
