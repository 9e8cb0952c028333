//! residua: the operation does not know this option
//! block "b"
//! in qk_norm<...>(...)
//! given: the option "no_bias"
//! known: epsilon no_affine
//! unit_offset
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, qk_norm<norm::rms>(no_bias));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, qk_norm<norm::layer>(no_bias));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
