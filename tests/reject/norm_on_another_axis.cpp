//! residua: an operation was given another axis than it is made for
//! N
//! given: (B, T, h = 3072)
//! feature axis must be: d = 768
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(N(up(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(N(x))); });
#endif
