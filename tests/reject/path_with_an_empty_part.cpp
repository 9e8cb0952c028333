//! residua: a name must be an identifier and no C++ keyword
//! name "output..dense"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"output..dense">(d, h);
#else
inline constexpr auto W = linear<"output.dense">(d, h);
#endif
