//! residua: this needs an axis whose extent is given, as in axis<"d", 768>
//! block "b"
//! in part<0>(x, w)
//! given: (B, T, width)
#include "common.hpp"

inline constexpr axis<"width"> width;
inline constexpr axis<"w", 128> w;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, width), [](auto x) { return part(x, w); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return part(x, w); });
#endif
