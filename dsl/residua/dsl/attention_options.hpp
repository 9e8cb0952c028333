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

template <std::int64_t Count>
struct heads_option : attention_option {
  static constexpr std::string_view name = name_of<joined<"heads<", digits<Count>, ">">>;
  static constexpr double positive = Count;
  static constexpr void set(attention_settings& s) { s.value.heads = Count; }
};
template <std::int64_t Count>
struct kv_heads_option : attention_option {
  static constexpr std::string_view name = name_of<joined<"kv_heads<", digits<Count>, ">">>;
  static constexpr double positive = Count;
  static constexpr void set(attention_settings& s) { s.value.kv_heads = Count; }
};
template <std::int64_t Width>
struct head_width_option : attention_option {
  static constexpr std::string_view name = name_of<joined<"head_width<", digits<Width>, ">">>;
  static constexpr double positive = Width;
  static constexpr void set(attention_settings& s) { s.head_width_given = Width; }
};
template <std::int64_t Width>
struct sliding_window_option : attention_option {
  static constexpr std::string_view name = name_of<joined<"sliding_window<", digits<Width>, ">">>;
  static constexpr double positive = Width;
  static constexpr void set(attention_settings& s) { s.value.window = Width; }
};
template <decimal Cap>
struct softcap_option : attention_option {
  static constexpr std::string_view name = "softcap";
  static constexpr double positive = Cap.value;
  static constexpr void set(attention_settings& s) { s.value.softcap = Cap.value; }
};
template <decimal Scale>
struct softmax_scale_option : attention_option {
  static constexpr std::string_view name = "softmax_scale";
  static constexpr double positive = Scale.value;
  static constexpr void set(attention_settings& s) { s.value.scale = Scale.value; }
};
template <bool Causal>
struct direction_option : attention_option {
  static constexpr std::string_view name = Causal ? "causal" : "bidirectional";
  static constexpr void set(attention_settings& s) { s.value.causal = Causal; }
};
struct alibi_option : attention_option {
  static constexpr std::string_view name = "alibi";
  static constexpr void set(attention_settings& s) { s.value.alibi = true; }
};
struct fused_qkv_option : attention_option {
  static constexpr std::string_view name = "fused_qkv";
  static constexpr void set(attention_settings& s) { s.fused = true; }
};
template <bool Q, bool K, bool V, bool O>
struct bias_option : attention_option {
  static constexpr std::string_view name = Q && K && V ? "qkv_bias" : Q ? "q_bias" : K ? "k_bias" : V ? "v_bias" : "o_bias";
  static constexpr void set(attention_settings& s) {
    s.q_bias = s.q_bias || Q;
    s.k_bias = s.k_bias || K;
    s.v_bias = s.v_bias || V;
    s.o_bias = s.o_bias || O;
  }
};

/// heads<12>: query heads; kv_heads<4>: grouped key and value heads (1: multi-query); head_width<128>: d / heads if not given.
template <std::int64_t Count>
inline constexpr heads_option<Count> heads;
template <std::int64_t Count>
inline constexpr kv_heads_option<Count> kv_heads;
template <std::int64_t Width>
inline constexpr head_width_option<Width> head_width;
/// sliding_window<W>: with causal the last W keys, the own one included; otherwise W / 2 keys on either side.
template <std::int64_t Width>
inline constexpr sliding_window_option<Width> sliding_window;
/// softcap<50>: s <- 50 tanh(s / 50); softmax_scale<0.1>: in place of 1 / sqrt(head width).
template <decimal Cap>
inline constexpr softcap_option<Cap> softcap;
template <decimal Scale>
inline constexpr softmax_scale_option<Scale> softmax_scale;
inline constexpr direction_option<true> causal;
inline constexpr direction_option<false> bidirectional;
inline constexpr alibi_option alibi;
inline constexpr fused_qkv_option fused_qkv;
inline constexpr bias_option<true, false, false, false> q_bias;
inline constexpr bias_option<false, true, false, false> k_bias;
inline constexpr bias_option<false, false, true, false> v_bias;
inline constexpr bias_option<false, false, false, true> o_bias;
inline constexpr bias_option<true, true, true, false> qkv_bias;

template <class Option>
inline constexpr bool option_is_positive = true;
template <class Option>
  requires requires { Option::positive; }
inline constexpr bool option_is_positive<Option> = Option::positive > 0;

template <class Option>
inline constexpr bool scaling_in_order = true;
template <class Option>
  requires requires { Option::in_order; }
inline constexpr bool scaling_in_order<Option> = Option::in_order;

/// The report about the first number that must be positive and is not.
template <class... Options>
constexpr report not_positive(phrase_parts in) {
  std::string_view other{};
  ((other = other.empty() && !option_is_positive<Options> ? kind_of<Options> : other), ...);
  return report(mistake::not_positive).say(in).given(other);
}

/// What rope(...) takes.
struct rope_option_base : numbered_option {};
template <std::int64_t Width>
struct rotary_width_option : rope_option_base {
  static constexpr std::string_view name = name_of<joined<"rotary_width<", digits<Width>, ">">>;
  static constexpr double positive = Width;
  static constexpr void set(rope_value& r) { r.width = Width; }
};
template <decimal Base>
struct rope_base_option : rope_option_base {
  static constexpr std::string_view name = "rope_base";
  static constexpr double positive = Base.value;
  static constexpr void set(rope_value& r) { r.base = Base.value; }
};
template <bool Interleaved>
struct rope_layout_option : rope_option_base {
  static constexpr std::string_view name = Interleaved ? "interleaved" : "half_split";
  static constexpr double positive = 1;
  static constexpr void set(rope_value& r) { r.interleaved = Interleaved; }
};
template <decimal Factor, decimal Low, decimal High, decimal OldLength>
struct llama3_scaling_option : rope_option_base {
  static constexpr std::string_view name = "llama3_scaling";
  static constexpr double positive = Factor.value > 0 && Low.value > 0 && High.value > 0 && OldLength.value > 0 ? 1 : 0;
  static constexpr bool in_order = Low.value < High.value;
  static constexpr void set(rope_value& r) {
    r.factor = Factor.value;
    r.low = Low.value;
    r.high = High.value;
    r.old_length = OldLength.value;
  }
};

template <class... Options>
struct rope_option : attention_option {
  static constexpr std::string_view name = "rope";
  static constexpr report examine() {
    report const unknown = examine_options<options_known<rope_option_base>, Options...>(
        {"in rope(...)"}, "rotary_width<64> half_split interleaved rope_base llama3_scaling");
    if (unknown) return unknown;
    if constexpr (!(option_is_positive<Options> && ...)) return not_positive<Options...>({"in rope(...)"});
    if (!(scaling_in_order<Options> && ...)) return report(mistake::scaling_out_of_order).say({"in rope(...)"});
    return {};
  }
  static constexpr void set(attention_settings& s) {
    s.rotates = true;
    s.value.rope.width = 0;
    (set_part<Options>(s.value.rope), ...);
  }

  /// rope(rotary_width<64>, interleaved, rope_base<5e5>, llama3_scaling<8>)
  template <class... More>
  constexpr rope_option<Options..., More...> operator()(More...) const {
    return {};
  }

 private:
  template <class Option>
  static constexpr void set_part([[maybe_unused]] rope_value& r) {
    if constexpr (std::derived_from<Option, rope_option_base>) Option::set(r);
  }
};
inline constexpr rope_option<> rope;
template <std::int64_t Width>
inline constexpr rotary_width_option<Width> rotary_width;
template <decimal Base>
inline constexpr rope_base_option<Base> rope_base;
inline constexpr rope_layout_option<false> half_split;  // pairs (k, k + width / 2): GPT-NeoX, Hugging Face's LLaMA
inline constexpr rope_layout_option<true> interleaved;  // pairs (2k, 2k + 1): GPT-J, Meta's LLaMA
template <decimal Factor, decimal Low = 1, decimal High = 4, decimal OldLength = 8192>
inline constexpr llama3_scaling_option<Factor, Low, High, OldLength> llama3_scaling;

/// Which norm qk_norm is.
enum class norm : unsigned char { rms, layer };
struct across_heads_option : option_base {
  static constexpr std::string_view name = "across_heads";
};
inline constexpr across_heads_option across_heads;

template <norm Which, class... Options>
struct qk_norm_option : attention_option {
  static constexpr std::string_view name = "qk_norm";
  static constexpr report examine() {
    using Own = std::conditional_t<Which == norm::rms, unit_offset_option, no_bias_option>;
    return examine_options<options_known<epsilon_option, no_affine_option, across_heads_option, Own>, Options...>(
        {"in qk_norm<...>(...)"},
        Which == norm::rms ? "epsilon no_affine across_heads unit_offset" : "epsilon no_affine across_heads no_bias");
  }
  static constexpr void set(attention_settings& s) {
    bool const affine = !has_option<no_affine_option, Options...>;
    s.qk_norm = {.present = true,
                 .operation = Which == norm::rms ? op::rms_norm : op::layer_norm,
                 .has_weight = affine,
                 .has_bias = Which == norm::layer && affine && !has_option<no_bias_option, Options...>,
                 .unit_offset = has_option<unit_offset_option, Options...>,
                 .epsilon = epsilon_among<Options...>,
                 .across_heads = has_option<across_heads_option, Options...>};
  }
};
/// qk_norm<norm::rms>(epsilon<1e-6>): a norm of each head's queries and keys, one gain for all heads, before the rotation;
/// across_heads: of all heads together.
template <norm Which, class... Options>
constexpr qk_norm_option<Which, Options...> qk_norm(Options...) {
  return {};
}

/// cross: keys and values come from a memory, X(q, memory); cross(e): of feature axis e, where it is not the stream's.
template <class Axis>
struct cross_option : attention_option {
  static constexpr std::string_view name = "cross";
  static constexpr report examine() {
    if constexpr (std::is_void_v<Axis>) return {};
    else if constexpr (!is_axis<Axis>) return report(mistake::not_an_axis).say({"in cross(...)"}).given(kind_of<Axis>);
    else return Axis::why;
  }
  static constexpr void set(attention_settings& s) { s.cross = true; }

  template <class Given>
  constexpr cross_option<Given> operator()(Given) const {
    return {};
  }
};
inline constexpr cross_option<void> cross;

/// What the four projections are called below the attention's name, and the one that stands for the first three.
template <text Query, text Key, text Value, text Output, text Fused>
struct projection_names {
  static constexpr report examine() {
    for (std::string_view name : {name_of<Query>, name_of<Key>, name_of<Value>, name_of<Output>, name_of<Fused>})
      if (report const found = examine_path(name)) return found;
    return {};
  }
};

/// projections<"q_proj", "k_proj", "v_proj", "o_proj">: the names of the parameters; the fifth is that of a fused_qkv.
template <text Query, text Key, text Value, text Output, text Fused>
struct projections_option : attention_option {
  static constexpr std::string_view name = "projections";
  using names = projection_names<Query, Key, Value, Output, Fused>;
};
template <text Query, text Key, text Value, text Output, text Fused = "qkv">
inline constexpr projections_option<Query, Key, Value, Output, Fused> projections;

namespace detail {
template <class Option>
constexpr void set_option(attention_settings& s) {
  if constexpr (std::is_same_v<Option, with_bias_option>) s.q_bias = s.k_bias = s.v_bias = s.o_bias = true;
  else if constexpr (std::derived_from<Option, attention_option>) Option::set(s);
}

template <class Found, class... Options>
struct memory_axis {
  using type = Found;
};
template <class Found, class Axis, class... Rest>
struct memory_axis<Found, cross_option<Axis>, Rest...> {
  using type = Axis;
};
template <class Found, class... Rest>
struct memory_axis<Found, cross_option<void>, Rest...> {
  using type = Found;
};
template <class Found, class First, class... Rest>
struct memory_axis<Found, First, Rest...> : memory_axis<Found, Rest...> {};

template <class... Options>
struct names_among {
  using type = projection_names<"q", "k", "v", "o", "qkv">;
};
template <class First, class... Rest>
struct names_among<First, Rest...> : names_among<Rest...> {};
template <class First, class... Rest>
  requires requires { typename First::names; }
struct names_among<First, Rest...> {
  using type = typename First::names;
};
}  // namespace detail

template <class... Options>
constexpr attention_settings settings_among() {
  attention_settings s;
  (detail::set_option<Options>(s), ...);
  return s;
}

/// The feature axis of the memory, or of the stream itself.
template <class In, class... Options>
using memory_axis_among = typename detail::memory_axis<In, Options...>::type;
template <class... Options>
using names_among = typename detail::names_among<Options...>::type;

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

}  // namespace residua::dsl
