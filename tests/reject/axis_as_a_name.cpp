//! residua: a name must be an identifier and no C++ keyword
//! given: the axis "n2"
#include "common.hpp"

inline constexpr axis<"n2"> n2;

#ifdef WRONG
inline constexpr auto M = layer_norm<n2>(d);
#else
inline constexpr auto M = layer_norm<"n2">(d);
#endif
