//! residua: epsilon must not be negative
//! block "b"
//! in qk_norm<...>(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, qk_norm<norm::rms>(epsilon<-1e-5>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, qk_norm<norm::rms>(epsilon<1e-5>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
