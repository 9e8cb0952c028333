//! residua: a name must be an identifier and no C++ keyword
//! given: the operation "N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<N>(F)(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(N | F)(x); });
#endif
