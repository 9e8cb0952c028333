//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! in part<16>(x, h)
//! given: the operation "N"
#include "common.hpp"

inline constexpr axis<"w", 128> w;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, part<16>(N, w), axis<"e", 896>{}); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, part<16>(N(x), w), axis<"e", 896>{}); });
#endif
