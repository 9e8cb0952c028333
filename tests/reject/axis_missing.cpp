//! residua: an axis is missing
//! made as: linear<"W">(in, out)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"W">(d);
#else
inline constexpr auto W = linear<"W">(d, d);
#endif
