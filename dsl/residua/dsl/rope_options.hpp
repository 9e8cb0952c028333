#pragma once
#include <residua/dsl/attention_settings.hpp>

namespace residua::dsl {

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

template <class Option>
inline constexpr bool scaling_in_order = true;
template <class Option>
  requires requires { Option::in_order; }
inline constexpr bool scaling_in_order<Option> = Option::in_order;

namespace detail {
template <class Option>
constexpr void set_rotation([[maybe_unused]] rope_value& r) {
  if constexpr (std::derived_from<Option, rope_option_base>) Option::set(r);
}
}  // namespace detail

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
    (detail::set_rotation<Options>(s.value.rope), ...);
  }

  /// rope(rotary_width<64>, interleaved, rope_base<5e5>, llama3_scaling<8>)
  template <class... More>
  constexpr rope_option<Options..., More...> operator()(More...) const {
    return {};
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

}  // namespace residua::dsl
