#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

/// A number as a template argument, written with or without a point: softcap<50>, epsilon<1e-6>.
struct decimal {
  double value;

  constexpr decimal(double given) : value(given) {}
  constexpr decimal(int given) : value(given) {}
  constexpr bool operator==(decimal const&) const = default;
};

/// Options are empty types with a word of their own: `with_bias`, `epsilon<1e-6>`.
struct option_base {
  static constexpr std::string_view kind = "the option";
};
struct with_bias_option : option_base {
  static constexpr std::string_view name = "with_bias";
};
struct no_bias_option : option_base {
  static constexpr std::string_view name = "no_bias";
};
struct no_affine_option : option_base {
  static constexpr std::string_view name = "no_affine";
};
struct unit_offset_option : option_base {
  static constexpr std::string_view name = "unit_offset";
};
/// An option with a number of its own, which g++ does not see at once in a block's function.
struct numbered_option : option_base {};
struct epsilon_option : numbered_option {
  static constexpr std::string_view name = "epsilon";
};
template <decimal Value>
struct epsilon_of : epsilon_option {
  static constexpr double value = Value.value;
};

inline constexpr with_bias_option with_bias;      // linear: + b
inline constexpr no_bias_option no_bias;          // layer_norm, dyt: gain only
inline constexpr no_affine_option no_affine;      // a norm: neither gain nor bias
inline constexpr unit_offset_option unit_offset;  // rms_norm: the gain is 1 + weight
/// epsilon<1e-6>: what a norm adds to the variance or the mean square.
template <decimal Value>
inline constexpr epsilon_of<Value> epsilon;

template <class Option, class... Options>
inline constexpr bool has_option = (std::is_base_of_v<Option, Options> || ...);

template <class Option>
constexpr double epsilon_or(double otherwise) {
  if constexpr (std::is_base_of_v<epsilon_option, Option>) return Option::value;
  else return otherwise;
}
template <class... Options>
constexpr double find_epsilon() {
  double value = 1e-5;
  ((value = epsilon_or<Options>(value)), ...);
  return value;
}
/// The epsilon among the options; 1e-5 where there is none.
template <class... Options>
inline constexpr double epsilon_among = find_epsilon<Options...>();

/// The options that an operation knows, with the words that a message lists.
template <class... Options>
struct options_known {
  template <class Option>
  static constexpr bool contains = (std::is_base_of_v<Options, Option> || ...);
};

/// What is wrong with the options in one pair of parentheses: one that is not known there, or a bad epsilon.
template <class Known, class... Options>
constexpr report examine_options(phrase_parts in, [[maybe_unused]] std::string_view words) {
  if constexpr (!(Known::template contains<Options> && ...)) {
    std::string_view other{};
    ((other = other.empty() && !Known::template contains<Options> ? kind_of<Options> : other), ...);
    return report(mistake::unknown_option).say(in).given(other).say({"known: ", words});
  } else {
    if (!(epsilon_among<Options...> >= 0)) return report(mistake::epsilon_negative).say(in);
    return {};
  }
}

}  // namespace residua::dsl
