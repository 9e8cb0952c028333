//! residua: a learned vector lies over another axis than the expression ends in
//! shift
//! given: (B, T, d = 768)
//! takes: (..., h = 3072)
//! axis 3 differs: d = 768, h = 3072
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(learned_vector<"shift">(h) - x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(learned_vector<"shift">(d) - x); });
#endif
