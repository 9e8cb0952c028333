//! residua: this needs an axis whose extent is given, as in axis<"d", 768>
//! block "b"
//! rotary<"R">(...)
//! axis: width
#include "common.hpp"

inline constexpr axis<"width"> width;

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, width), [](auto x) { return rotary<"R">(width, heads<12>)(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return rotary<"R">(d, heads<12>)(x); });
#endif
