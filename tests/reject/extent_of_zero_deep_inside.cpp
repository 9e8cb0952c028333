//! residua: an extent must be positive
//! axis "e"
//! extent 0, must be 1 or more
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(linear<"in">(d, axis<"e", 0>{}) | linear<"out">(axis<"e", 0>{}, d))(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(linear<"in">(d, axis<"e", 1>{}) | linear<"out">(axis<"e", 1>{}, d))(x); });
#endif
