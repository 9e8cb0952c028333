//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! in mean(x)
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + mean(F) * x; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + mean(F(x)) * x; });
#endif
