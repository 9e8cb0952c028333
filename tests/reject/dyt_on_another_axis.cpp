//! residua: a norm is made for another axis than the expression ends in
//! name "D"
//! given: (B, T, h = 3072)
//! takes: (..., d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

inline constexpr auto D = dyt<"D">(d);
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(D(up(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(D(x))); });
#endif
