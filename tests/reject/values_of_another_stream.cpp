//! residua: keys and values must be of the same tokens
//! block "b"
//! name "A"
//! keys: (B, T, d = 768)
//! values: (B, T, d = 768)
#include "common.hpp"

inline constexpr auto A = attend<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), stream(B, T, d), [](auto x, auto memory) { return x + A(x, x, memory); });
#else
inline constexpr auto b =
    block<"b">(stream(B, T, d), stream(B, T, d), [](auto x, auto memory) { return x + A(x, memory, memory); });
#endif
