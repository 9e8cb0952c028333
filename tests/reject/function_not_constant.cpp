//! residua: the function of a block does what cannot be computed at compile time
//! block "b"
#include "common.hpp"

#include <cmath>

inline double depth = 16;  // not constexpr
#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  auto const factor = std::sqrt(depth);
  return factor * x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return 4 * x; });
#endif
