//! residua: hadamard multiplies two expressions of one shape
//! first: (B, T, h = 3072)
//! second: (B, T, d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(hadamard(up(x), x)); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + down(hadamard(up(x), up(x))); });
#endif
