//! residua: in llama3_scaling<factor, low, high, length> low is below high
//! block "b"
//! in rope(...)
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"A">(d, heads<12>, rope(llama3_scaling<8, 4, 1>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"A">(d, heads<12>, rope(llama3_scaling<8, 1, 4>));
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
