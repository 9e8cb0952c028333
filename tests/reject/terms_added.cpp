//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! terms_added.cpp:9
//! operand of +
//! given: the operation "gain"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return (1 + learned_vector<"gain">(d)) * x; });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + learned_vector<"gain">(d) * x; });
#endif
