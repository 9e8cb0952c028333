//! residua: a stream has one to three leading axes and the feature axis
//! axes given: 1
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(d), [](auto x) { return x; });
#else
inline constexpr auto b = block<"b">(stream(T, d), [](auto x) { return x; });
#endif
