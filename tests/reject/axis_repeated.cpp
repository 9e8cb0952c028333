//! residua: a shape names an axis twice
//! in stream(...)
//! axis "T"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(T, T, d), [](auto x) { return x; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x; });
#endif
