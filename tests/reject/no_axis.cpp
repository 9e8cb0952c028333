//! residua: an axis was expected, as in axis<"d", 768>
//! made as: linear<"W">(in, out)
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"W">(768, 3072);
#else
inline constexpr auto W = linear<"W">(d, h);
#endif
