//! residua: two different operations have one name
//! name "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return linear<"F">(d, d)(x) + F(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return linear<"G">(d, d)(x) + F(x); });
#endif
