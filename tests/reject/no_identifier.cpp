//! residua: a name must be an identifier and no C++ keyword
//! name "my norm"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto M = layer_norm<"my norm">(d);
#else
inline constexpr auto M = layer_norm<"my_norm">(d);
#endif
