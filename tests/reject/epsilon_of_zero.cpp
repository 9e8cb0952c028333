//! residua: epsilon must be positive
//! block "b"
//! epsilon_of_zero.cpp:10
//! rms_norm<"M">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto M = rms_norm<"M">(d, epsilon<0>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + F(M(x));
});
#else
inline constexpr auto M = rms_norm<"M">(d, epsilon<1>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(M(x)); });
#endif
