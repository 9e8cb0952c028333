//! residua: a stream was expected, as in stream(B, T, d)
//! block "b"
//! given: the axis "d"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(d, [](auto x) { return x; });
#else
inline constexpr auto b = block<"b">(stream(T, d), [](auto x) { return x; });
#endif
