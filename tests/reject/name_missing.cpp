//! residua: the name is missing
//! made as: layer_norm<"N">(d)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto M = layer_norm(d);
#else
inline constexpr auto M = layer_norm<"M">(d);
#endif
