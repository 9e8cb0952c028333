#pragma once
#include <residua/dsl.hpp>

namespace golden {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"d", 8> d;
inline constexpr axis<"h", 12> h;

/// A little of everything that emitted code has: norms, a gate, an epilogue, a learned scalar, a shared value.
inline constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto z = layer_norm<"N">(d)(x);
  auto f = branch<"F">([](auto y) {
    return linear<"down">(h, d, with_bias)(hadamard(silu(linear<"gate">(d, h)(y)), linear<"up">(d, h, with_bias)(y)));
  })(z);
  return x + learned_scalar<"alpha"> * f;
});
}  // namespace golden
