//! residua: the operation does not know this option
//! dyt<"D">(...)
//! given: the option "unit_offset"
//! known: no_bias no_affine
#include "common.hpp"

#ifdef WRONG
inline constexpr auto D = dyt<"D">(d, unit_offset);
#else
inline constexpr auto D = dyt<"D">(d);
#endif
