#pragma once
#include <residua/dsl/digits.hpp>
#include <residua/dsl/maker.hpp>

namespace residua::dsl {

/// The norm of each query and key.
struct qk_norm_value {
  bool present = false;
  op operation = op::rms_norm;
  bool has_weight = true;
  bool has_bias = false;
  bool unit_offset = false;
  double epsilon = 1e-5;
  bool across_heads = false;  // over all heads together, before they are split

  constexpr bool operator==(qk_norm_value const&) const = default;
};

/// What the options of one attention say.
struct attention_settings {
  attention_value value{};
  std::int64_t head_width_given = 0;
  bool rotates = false;
  qk_norm_value qk_norm{};
  bool q_bias = false, k_bias = false, v_bias = false, o_bias = false;
  bool fused = false;
  bool cross = false;

  constexpr bool operator==(attention_settings const&) const = default;
};

/// An option of attention. `set` writes it into the settings; `positive` is the number that must be.
struct attention_option : numbered_option {
  static constexpr double positive = 1;
  template <class Settings>
  static constexpr void set(Settings&) {}
};
/// Those of attention between its projections, which `attend` knows as well; and among them the number of heads, which whatever
/// works on each head alone knows.
struct attend_option : attention_option {};
struct head_count_option : attend_option {};

template <class Option>
inline constexpr bool option_is_positive = true;
template <class Option>
  requires requires { Option::positive; }
inline constexpr bool option_is_positive<Option> = Option::positive > 0;

/// The report about the first number that must be positive and is not.
template <class... Options>
constexpr report not_positive(phrase_parts in) {
  std::string_view other{};
  ((other = other.empty() && !option_is_positive<Options> ? kind_of<Options> : other), ...);
  return report(mistake::not_positive).say(in).given(other);
}

/// sqrt in constant evaluation, by Newton's steps.
constexpr double square_root(double x) {
  double root = x > 1 ? x : 1;
  for (int i = 0; i < 64; ++i) root = (root + x / root) / 2;
  return root;
}

/// Fills in what is not said: as many key and value heads as heads, d / heads, 1 / sqrt(head width), all channels rotated.
constexpr attention_settings complete(attention_settings s, std::int64_t width) {
  std::int64_t const heads = s.value.heads > 0 ? s.value.heads : 1;
  if (s.value.kv_heads == 0) s.value.kv_heads = heads;
  s.value.head_width = s.head_width_given != 0 ? s.head_width_given : width > 0 && width % heads == 0 ? width / heads : heads;
  if (s.value.scale == 0) s.value.scale = 1 / square_root(static_cast<double>(s.value.head_width));
  if (s.rotates && s.value.rope.width == 0) s.value.rope.width = s.value.head_width;
  return s;
}

/// What is wrong with heads and widths, over an axis of this extent.
constexpr report examine_heads(attention_settings const& s, std::int64_t extent, phrase_parts in) {
  attention_value const& v = s.value;
  if (s.head_width_given == 0 && extent % v.heads != 0)
    return report(mistake::heads_do_not_divide).say(in).say({"width: ", extent}).say({"heads: ", v.heads});
  if (v.heads % v.kv_heads != 0)
    return report(mistake::kv_heads_do_not_divide).say(in).say({"heads: ", v.heads}).say({"key and value heads: ", v.kv_heads});
  if (v.rope.width % 2 != 0 || v.rope.width > v.head_width)
    return report(mistake::rotary_width_wrong).say(in).say({"rotary width: ", v.rope.width}).say({"head width: ", v.head_width});
  return {};
}

}  // namespace residua::dsl
