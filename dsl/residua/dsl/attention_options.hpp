#pragma once
#include <residua/dsl/qk_norm_option.hpp>
#include <residua/dsl/rope_options.hpp>

namespace residua::dsl {

template <std::int64_t Count>
struct heads_option : head_count_option {
  static constexpr std::string_view name = name_of<joined<"heads<", digits<Count>, ">">>;
  static constexpr double positive = Count;
  static constexpr void set(attention_settings& s) { s.value.heads = Count; }
};
template <std::int64_t Count>
struct kv_heads_option : attend_option {
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
struct sliding_window_option : attend_option {
  static constexpr std::string_view name = name_of<joined<"sliding_window<", digits<Width>, ">">>;
  static constexpr double positive = Width;
  static constexpr void set(attention_settings& s) { s.value.window = Width; }
};
template <decimal Cap>
struct softcap_option : attend_option {
  static constexpr std::string_view name = "softcap";
  static constexpr double positive = Cap.value;
  static constexpr void set(attention_settings& s) { s.value.softcap = Cap.value; }
};
template <decimal Scale>
struct softmax_scale_option : attend_option {
  static constexpr std::string_view name = "softmax_scale";
  static constexpr double positive = Scale.value;
  static constexpr void set(attention_settings& s) { s.value.scale = Scale.value; }
};
template <bool Causal>
struct direction_option : attend_option {
  static constexpr std::string_view name = Causal ? "causal" : "bidirectional";
  static constexpr void set(attention_settings& s) { s.value.causal = Causal; }
};
struct alibi_option : attend_option {
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

}  // namespace residua::dsl
