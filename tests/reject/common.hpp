#pragma once
#include <residua/dsl.hpp>

// What every case is made of. A case is compiled twice: right, where nothing may be said, and with WRONG defined, where
// one message must be. Lines that start with `//!` are what that message says.
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"d", 768> d;
inline constexpr axis<"h", 3072> h;
inline constexpr auto N = layer_norm<"N">(d);
inline constexpr auto up = linear<"up">(d, h);
inline constexpr auto down = linear<"down">(h, d);
inline constexpr auto F = branch<"F">(up | gelu_tanh | down);
