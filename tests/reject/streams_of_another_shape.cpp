//! residua: a block was applied to another stream than it reads
//! block "b"
//! block applied: "residual"
//! stream "r"
//! given: (B, T, h = 3072)
//! reads: (B, T, d = 768)
//! axis 3 differs: h = 3072, d = 768
#include "common.hpp"

inline constexpr auto residual = block<"residual">(streams(stream(B, T, d), stream<"r">(B, T, d)), [](auto x, auto r) {
  return streams(N(x + r), r + x);
});
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, r] = residual(x, up(x));
  return y + r;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto [y, r] = residual(x, F(x));
  return y + r;
});
#endif
