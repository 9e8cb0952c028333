// What the attention kernels are told beside their matrices.
#pragma once

#include <residua/rt/matrix.hpp>

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

/// How the rows of tiles and buffers are sequences of tokens.
struct token_layout {
  index tokens = 0;                ///< of each sequence: row r is token r % tokens of sequence r / tokens
  index keys = 0;                  ///< of each sequence, positions 0 .. keys - 1
  index key_rows = 0;              ///< key j of sequence s is row s key_rows + j % key_rows; the last key_rows keys exist
  index position = 0;              ///< token t stands at position + t among the keys
  index const* lengths = nullptr;  ///< keys of sequence s that are valid, those before lengths[s]; null: all
};

}  // namespace residua::rt
