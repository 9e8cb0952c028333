//! residua: a block was applied to another stream than it reads
//! block "b"
//! block applied: "inner"
//! given: (B, T, d = 768)
//! reads: (T, d = 768)
//! rank differs: 3, 2
#include "common.hpp"

inline constexpr auto nested = block<"inner">(stream(T, d), [](auto x) { return x + F(N(x)); });
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return nested(x); });
#else
inline constexpr auto b = block<"b">(stream(T, d), [](auto x) { return nested(x); });
#endif
