//! residua: a name must be an identifier and no C++ keyword
//! branch "2nd"
//! bad_name_deep_inside.cpp:7
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">([](auto y) { return branch<"2nd">([](auto z) { return relu(z); })(y); })(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + branch<"G">([](auto y) { return branch<"second">([](auto z) { return relu(z); })(y); })(x); });
#endif
