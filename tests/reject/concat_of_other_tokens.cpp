//! residua: concat takes expressions that differ in their last axis only
//! block "b"
//! concat_of_other_tokens.cpp
//! in concat(a, b, e)
//! first: (B, T, d = 768)
//! another: (B, S, d = 768)
//! axis 2 differs in name: T, S
#include "common.hpp"

inline constexpr axis<"S"> S;
inline constexpr axis<"e", 1536> e;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, renamed(N(x), T, S), e); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, N(x), e); });
#endif
