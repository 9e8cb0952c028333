//! residua: the heads do not divide the width of the stream
//! block "b"
//! rms_norm<"M">(...)
//! width: 768
//! heads: 7
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return rms_norm<"M">(d, heads<7>)(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return rms_norm<"M">(d, heads<8>)(x); });
#endif
