//! residua: an axis was expected, as in axis<"d", 768>
//! made as: linear<"W">(in, out)
//! given: the option "with_bias"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"W">(d, with_bias);
#else
inline constexpr auto W = linear<"W">(d, d, with_bias);
#endif
