#pragma once
#include <cstdint>

namespace residua::graph {

/// Rotary positions (RoPE): the pairs of the first `width` channels of each head turn by i base^(-2k / width) at token i.
struct rope_value {
  std::int64_t width = 0;  // 0: no rotation
  double base = 1e4;
  bool interleaved = false;  // pairs (2k, 2k + 1) instead of (k, k + width / 2)
  double factor = 1;  // llama-3: frequencies below low / old_length are divided by this, those above high / old_length kept
  double low = 1;
  double high = 4;
  double old_length = 8192;

  constexpr bool operator==(rope_value const&) const = default;
};

/// All that an attention computes between its projections, the same for every head.
struct attention_value {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;    // query head a reads key and value head a / (heads / kv_heads)
  std::int64_t head_width = 0;  // of queries, keys and values
  double scale = 0;             // s_ij = scale q_i . k_j
  double softcap = 0;           // s <- cap tanh(s / cap); 0: none
  bool causal = false;          // keys j <= i only
  std::int64_t window = 0;      // causal: i - j < window; otherwise |i - j| <= window / 2; 0: none
  bool alibi = false;           // s <- s - slope(head) |i - j|
  rope_value rope{};

  constexpr bool operator==(attention_value const&) const = default;
};

/// A template argument as a value of static storage, so that nodes can point to it.
template <attention_value Value>
inline constexpr attention_value stored_attention = Value;

}  // namespace residua::graph
