//! residua: a block was given another number of streams than it reads
//! in streams<40>(...)
//! must be 1 to 15
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(streams<40>(stream(B, T, d)), [](auto s) { return s; });
#else
inline constexpr auto b = block<"b">(streams<4>(stream(B, T, d)), [](auto s) { return s; });
#endif
