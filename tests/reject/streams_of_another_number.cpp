//! residua: a block was given another number of streams than it reads
//! block "b"
//! block applied: "residual"
//! given: 1
//! reads: 2
#include "common.hpp"

inline constexpr auto residual = block<"residual">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) {
  return streams(N(x + r), r + x);
});
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, r] = residual(x);
  return y + r;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, r] = residual(x, x);
  return y + r;
});
#endif
