// What the kernels of rotary positions are told beside their matrices.
#pragma once

#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// Which channels of a head are rotated how fast.
struct rope_options {
  index heads;
  index head_width;
  index rotary_width;        ///< the first channels are rotated, the others copied; even
  double base = 1e4;         ///< frequency of pair k: base^(-2 k / rotary_width)
  bool interleaved = false;  ///< pairs (2 k, 2 k + 1), otherwise (k, k + rotary_width / 2)
  double factor = 1;         ///< of LLaMA 3.1: slow pairs are slower by this; 1: none
  double low = 1;            ///< pairs of fewer turns than `low` in old_length tokens are slow,
  double high = 4;           ///< pairs of more turns than `high` keep their frequency
  double old_length = 8192;
};

}  // namespace residua::rt
