//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! in at_each_token(c, x)
//! given: the operation "F"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + at_each_token(F, x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + at_each_token(learned_vector<"v">(d), x); });
#endif
