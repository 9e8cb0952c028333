//! residua: an operation was given another axis than it is made for
//! block "b"
//! name "A"
//! given: (B, T, h = 3072)
//! takes: (..., d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

inline constexpr auto A = attention<"A">(d, heads<12>);

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(A(up(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(up(A(x))); });
#endif
