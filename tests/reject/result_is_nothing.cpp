//! residua: the function of a block or branch must return an expression
//! block "b"
//! given: nothing
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { static_cast<void>(x + F(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
