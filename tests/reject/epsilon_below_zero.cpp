//! residua: epsilon must not be negative
//! block "b"
//! epsilon_below_zero.cpp:11
//! layer_norm<"M">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto M = layer_norm<"M">(d, epsilon<-1e-5>);
#endif
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + M(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + N(x); });
#endif
