//! residua: the function of a block or branch must return an expression
//! block "b"
//! branch_result_is_nothing.cpp:10
//! in branch "G"
//! given: nothing
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) { static_cast<void>(F(y)); })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
