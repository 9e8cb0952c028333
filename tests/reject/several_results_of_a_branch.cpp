//! residua: the function of a block or branch must return an expression
//! block "b"
//! in branch "G"
//! given: several streams
#include "common.hpp"

#ifdef WRONG
inline constexpr auto G = branch<"G">([](auto z) { return streams(F(z), z); });
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + G(x); });
#else
inline constexpr auto G = branch<"G">([](auto z) { return F(z); });
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + G(x); });
#endif
