//! residua: an extent must be positive
//! axis "e"
//! extent -8, must be 1 or more
#include "common.hpp"

#ifdef WRONG
inline constexpr axis<"e", -8> e;
#else
inline constexpr axis<"e", 8> e;
#endif
