//! residua: the operation does not know this option
//! block "b"
//! rotary<"R">(...)
//! given: the option "causal"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto R = rotary<"R">(d, heads<12>, causal);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + R(x); });
#else
inline constexpr auto R = rotary<"R">(d, heads<12>, interleaved);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + R(x); });
#endif
