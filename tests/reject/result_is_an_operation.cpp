//! residua: the function of a block or branch must return an expression
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { static_cast<void>(x); return F; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return F(x); });
#endif
