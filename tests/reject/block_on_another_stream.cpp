//! residua: an operation was given another axis than it is made for
//! inner
//! given: (B, T, d = 768)
//! feature axis must be: h = 3072
#include "common.hpp"

inline constexpr auto inner = block<"inner">(stream(B, T, h), [](auto x) { return x + relu(x); });
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return inner(x); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(inner(up(x))); });
#endif
