//! residua: the operation does not know this option
//! linear<"W">(...)
//! given: a number
//! known: with_bias no_bias
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"W">(d, h, true);
#else
inline constexpr auto W = linear<"W">(d, h, with_bias);
#endif
