//! residua: this needs an axis whose extent is given, as in axis<"d", 768>
//! block "b"
//! attend<"A">(...)
//! axis: width
#include "common.hpp"

inline constexpr axis<"width"> width;

#ifdef WRONG
inline constexpr auto A = attend<"A">(width, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, width), [](auto x) { return x + A(x, x, x); });
#else
inline constexpr auto A = attend<"A">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(x, x, x); });
#endif
