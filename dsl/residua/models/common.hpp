#pragma once
// What several models share: choices that are members of their dimensions, as options of the language.
//
// A model's stack and the whole model are functions: a static constant of deduced type is computed with the class around it,
// and 80 layers shall cost nothing where one is asked for.
#include <residua/dsl.hpp>

namespace residua::models {
using namespace residua::dsl;

/// Which of the two functions called GELU a model has; where sources differ, it is a member of the dimensions.
enum class gelu : unsigned char { erf, tanh };

namespace detail {

template <gelu Which>
constexpr auto activation() {
  if constexpr (Which == gelu::erf) return gelu_erf;
  else return gelu_tanh;
}

/// Keys up to the query's own: all of them (0), or the last Width.
template <std::int64_t Width>
constexpr auto causal_window() {
  if constexpr (Width > 0) return sliding_window<Width>;
  else return causal;
}

template <bool Present>
constexpr auto bias() {
  if constexpr (Present) return with_bias;
  else return no_bias;
}

}  // namespace detail
}  // namespace residua::models
