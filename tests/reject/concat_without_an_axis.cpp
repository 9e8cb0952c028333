//! residua: an axis was expected, as in axis<"d", 768>
//! block "b"
//! in concat(a, b, both)
//! given: no axis behind two or more
#include "common.hpp"

inline constexpr axis<"e", 1536> e;

#ifdef WRONG
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, N(x)); });
#else
inline constexpr auto b = map<"b">(stream(B, T, d), [](auto x) { return concat(x, N(x), e); });
#endif
