//! residua: a block must give back the stream it was given
//! given: an operation, not applied
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { static_cast<void>(x); return F; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return F(x); });
#endif
