// The activations that the kernels know, by name.
#pragma once

namespace residua::rt {

/// One of the pointwise functions of kernels/activation.hpp.
enum class activation : unsigned char {
  tanh,
  relu,
  relu_squared,
  gelu_erf,
  gelu_tanh,
  silu,
  sigmoid,
  softplus,
};

}  // namespace residua::rt
