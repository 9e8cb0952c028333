//! residua: an expression was expected
//! in at_each_token(c, x)
//! given: other than two arguments
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + at_each_token(learned_vector<"v">(d)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + at_each_token(learned_vector<"v">(d), x); });
#endif
