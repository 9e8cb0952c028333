//! residua: the axis of concat is as long as all that it joins
//! block "b"
//! extents_do_not_add_up.cpp
//! in concat(a, b, e)
//! given in all: 4608
//! axis: e = 1536
#include "common.hpp"

inline constexpr axis<"e", 1536> e;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, up(x), N(x), e); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, N(x), e); });
#endif
