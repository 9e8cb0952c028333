//! residua: control flow cannot depend on a stream: its numbers are known at run time only
//! block "inner"
//! control_flow_deep_inside.cpp:11
//! in a comparison
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) {
  return x + branch<"G">([](auto y) {
    return block<"inner">(stream(B, T, d), [](auto z) {
      return z <= F(z) ? z : N(z);
    })(y);
  })(x);
});
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#endif
