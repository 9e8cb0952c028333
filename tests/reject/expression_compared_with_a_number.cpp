//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "b"
//! compared_with_a_number.cpp:9
//! in a comparison
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x > 0 ? x : 0.5 * x;
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return relu(x); });
#endif
