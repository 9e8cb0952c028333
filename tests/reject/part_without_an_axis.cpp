//! residua: an axis was expected, as in axis<"d", 768>
//! block "b"
//! in part<16>(x, h)
//! given: an expression alone
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return part<16>(x); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return part<16>(x, axis<"w", 128>{}); });
#endif
