//! residua: the block has no stream or result of this number
//! block "b"
//! given: by<2>
//! streams: 2
#include "common.hpp"

inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r + F(x)); });
#ifdef WRONG
static_assert(jacobian(b, of<0>, by<2>) == "0");
#else
static_assert(jacobian(b, of<0>, by<1>) == "0");
#endif
