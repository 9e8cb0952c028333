// What the attention kernels are told beside their matrices.
#pragma once

#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// What one attention computes, the same for all its heads.
struct attention_options {
  index heads;
  index kv_heads;       ///< query head a uses key head a / (heads / kv_heads)
  index head_width;     ///< of queries, keys and values
  double scale;         ///< s_ij = scale <q_i, k_j>
  double softcap = 0;   ///< then s = cap tanh(s / cap); 0: no cap
  bool causal = false;  ///< keys j <= i only
  index window = 0;     ///< causal: 0 <= i - j < window, otherwise |i - j| <= window / 2; 0: no window
  bool alibi = false;   ///< then s = s - slope(head) |i - j|
};

}  // namespace residua::rt
