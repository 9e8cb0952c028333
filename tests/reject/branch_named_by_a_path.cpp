//! residua: a name must be an identifier and no C++ keyword
//! branch "mlp.inner"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto G = branch<"mlp.inner">(up | relu | down);
#else
inline constexpr auto G = branch<"mlp">(branch<"inner">(up | relu | down));
#endif
