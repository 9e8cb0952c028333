//! residua: the two sides have different shapes
//! left of +: (B, T, d = 768)
//! right of +: (B, T, d)
//! axis 3 differs in extent: 768,
//! chosen at run time
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + linear<"W">(d, axis<"d">{})(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + linear<"W">(d, d)(x); });
#endif
