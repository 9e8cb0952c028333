//! residua: a name must be an identifier and no C++ keyword
//! axis "d-model"
#include "common.hpp"

#ifdef WRONG
inline constexpr axis<"d-model", 768> m;
#else
inline constexpr axis<"d_model", 768> m;
#endif
