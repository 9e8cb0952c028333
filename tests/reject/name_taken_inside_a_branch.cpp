//! residua: two different operations have one name
//! name "up"
//! in branch "G"
//! name_taken_inside_a_branch.cpp:8
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(up | relu | down | linear<"up">(d, d))(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(up | relu | down | linear<"out">(d, d))(x); });
#endif
