//! residua: keys and values must be of the same tokens
//! block "b"
//! values_of_other_tokens.cpp
//! name "A"
//! keys: (B, T, d = 768)
//! values: (B, S, d = 768)
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr auto A = attend<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { return x + A(x, x, memory); });
#else
inline constexpr auto b =
    block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { return x + A(x, memory, memory); });
#endif
