//! residua: an option takes a positive number
//! block "b"
//! in rope(...)
//! given: the option "rope_base"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, rope(interleaved, rope_base<0>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, rope(interleaved, rope_base<5e5>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
