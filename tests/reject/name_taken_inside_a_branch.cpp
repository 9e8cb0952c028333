//! residua: two different operations have one name
//! up
//! name_taken_inside_a_branch.cpp:7
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(up | relu | down | linear<"up">(d, d))(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">(up | relu | down | linear<"out">(d, d))(x); });
#endif
