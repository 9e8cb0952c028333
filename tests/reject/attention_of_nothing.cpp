//! residua: an axis is missing
//! made as: attention<"A">(axis, ...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">();
#else
inline constexpr auto A = attention<"A">(d, heads<12>);
#endif
