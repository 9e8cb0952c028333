//! residua: a block was applied to another stream than it reads
//! block applied: "inner"
//! given: (B, T, d = 768)
//! reads: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

inline constexpr auto nested = block<"inner">(stream(B, T, h), [](auto x) { return x + relu(x); });
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return nested(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(nested(up(x))); });
#endif
