//! residua: at_each_token takes one token of each of the same sequences
//! block "b"
//! condition_of_many_tokens.cpp:12
//! given: (B, S, d = 768)
//! at each of: (B, T, d = 768)
//! axis 2 differs in name: S, T
#include "common.hpp"

#ifdef WRONG
inline constexpr axis<"S"> S;
inline constexpr auto b =
    block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { return x + at_each_token(F(memory), x); });
#else
inline constexpr axis<"each", 1> S;
inline constexpr auto b =
    block<"b">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { return x + at_each_token(F(memory), x); });
#endif
