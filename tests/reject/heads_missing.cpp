//! residua: an attention needs its number of heads, as in heads<12>
//! block "b"
//! attention<"A">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, causal, sliding_window<128>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, causal, sliding_window<128>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
