//! residua: an expression was expected
//! block "b"
//! the operation "N"
//! given: several streams
#include "common.hpp"

inline constexpr auto widen = map<"widen">(stream(B, T, d), [](auto x) { return streams(x, F(x)); });
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return N(widen(x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return N(get<1>(widen(x))); });
#endif
