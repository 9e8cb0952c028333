//! residua: an extent must be positive
//! axis "e"
//! extent -1, must be 1 or more
#include "common.hpp"

#ifdef WRONG
inline constexpr axis<"e", -1> e;
#else
inline constexpr axis<"e"> e;
#endif
