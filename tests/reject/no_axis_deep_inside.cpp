//! residua: an axis was expected, as in axis<"d", 768>
//! made as: linear<"W">(in, out)
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">([](auto y) { return branch<"H">([](auto z) { return linear<"W">(d, 768)(z); })(y); })(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">([](auto y) { return branch<"H">([](auto z) { return linear<"W">(d, d)(z); })(y); })(x); });
#endif
