//! residua: the two sides have different shapes
//! block "outer"
//! left of +: (B, T, h = 3072)
//! right of +: (B, T, d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

inline constexpr auto innermost = branch<"I">([](auto z) { return up(z) + z; });
inline constexpr auto nested = branch<"J">([](auto z) { return down(innermost(N(z))); });
inline constexpr auto f = branch<"K">([](auto z) { return nested(z) + z; });
inline constexpr auto g = branch<"K">([](auto z) { return F(z) + z; });
#ifdef WRONG
inline constexpr auto outer = block<"outer">(stream(B, T, d), [](auto x) { return x + f(N(x)); });
#else
inline constexpr auto outer = block<"outer">(stream(B, T, d), [](auto x) { return x + g(N(x)); });
#endif
