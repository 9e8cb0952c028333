//! residua: a block must give back the stream it was given
//! block "s"
//! stream: (B, T, d = 768)
//! result: (B, T, h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
inline constexpr auto wide = map<"wide">(stream(B, T, d), [](auto x) { return up(x); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>(wide);
#else
inline constexpr auto s = stack<"s", 2>(b);
#endif
