//! residua: an attention over an axis chosen at run time needs its head width, as in head_width<64>
//! block "b"
//! attention<"A">(...)
#include "common.hpp"

inline constexpr axis<"width"> width;

#ifdef WRONG
inline constexpr auto A = attention<"A">(width, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, width), [](auto x) { return x + A(x); });
#else
inline constexpr auto A = attention<"A">(width, heads<12>, head_width<64>);
inline constexpr auto b = block<"b">(stream(B, T, width), [](auto x) { return x + A(x); });
#endif
