//! residua: this needs an axis whose extent is given, as in axis<"d", 768>
//! block "b"
//! layer_norm<"M">(...)
//! axis: width
#include "common.hpp"

inline constexpr axis<"width"> width;

#ifdef WRONG
inline constexpr auto M = layer_norm<"M">(width, heads<8>);
inline constexpr auto b = block<"b">(stream(B, T, width), [](auto x) { return M(x); });
#else
inline constexpr auto M = layer_norm<"M">(d, heads<8>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return M(x); });
#endif
