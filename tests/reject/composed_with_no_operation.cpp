//! residua: an operation was expected
//! right of |
//! given: a number
#include "common.hpp"

#ifdef WRONG
inline constexpr auto G = up | 3;
#else
inline constexpr auto G = up | relu;
#endif
