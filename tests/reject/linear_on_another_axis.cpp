//! residua: an operation was given another axis than it is made for
//! block "b"
//! name "down"
//! given: (B, T, d = 768)
//! takes: (..., h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(x)); });
#endif
