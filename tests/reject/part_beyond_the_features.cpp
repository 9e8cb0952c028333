//! residua: a part reaches beyond the features of the expression
//! block "b"
//! part_beyond_the_features.cpp
//! in part<700>(x, w)
//! given: (B, T, d = 768)
//! axis: w = 128
#include "common.hpp"

inline constexpr axis<"w", 128> w;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return part<700>(N(x), w); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return part<640>(N(x), w); });
#endif
