//! residua: a name must be an identifier and no C++ keyword
//! name "new"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto W = linear<"new">(d, h);
#else
inline constexpr auto W = linear<"news">(d, h);
#endif
