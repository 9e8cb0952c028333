//! residua: the operation does not know this option
//! layer_norm<"M">(...)
//! given: the option "with_bias"
//! known: no_bias no_affine epsilon
#include "common.hpp"

#ifdef WRONG
inline constexpr auto M = layer_norm<"M">(d, with_bias);
#else
inline constexpr auto M = layer_norm<"M">(d, no_bias);
#endif
