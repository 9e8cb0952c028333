//! residua: a norm is made for another axis than the expression ends in
//! name "N"
//! given: (B, T, h = 3072)
//! takes: (..., d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(N(up(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(N(x))); });
#endif
