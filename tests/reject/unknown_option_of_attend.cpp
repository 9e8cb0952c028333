//! residua: the operation does not know this option
//! block "b"
//! attend<"A">(...)
//! given: the option "qk_norm"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attend<"A">(d, heads<12>, qk_norm<norm::rms>());
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(x, x, x); });
#else
inline constexpr auto A = attend<"A">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x), N(x), x); });
#endif
