//! residua: an operation was given another axis than it is made for
//! block "b"
//! down
//! given: (B, T, d = 768)
//! feature axis must be: h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(x)); });
#endif
