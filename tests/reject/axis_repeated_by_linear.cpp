//! residua: a shape names an axis twice
//! block "b"
//! W
//! result: (B, T, T = 768)
#include "common.hpp"

inline constexpr axis<"T", 768> t;
inline constexpr axis<"e", 768> e;
inline constexpr auto back = linear<"back">(t, d);
inline constexpr auto up_again = linear<"back">(e, d);
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + back(linear<"W">(d, t)(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + up_again(linear<"W">(d, e)(x)); });
#endif
