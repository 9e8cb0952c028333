//! residua: an axis was expected, as in axis<"d", 768>
//! linear<"W">(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"W">(768, 3072);
#else
inline constexpr auto W = linear<"W">(d, h);
#endif
