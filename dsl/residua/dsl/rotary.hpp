#pragma once
#include <residua/dsl/attention_options.hpp>

namespace residua::dsl {

/// Each head of a token turned by its position.
template <text Name, class Axis, attention_value Value>
struct rotary_operation : operation<rotary_operation<Name, Axis, Value>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    require_feature_axis<Axis>(mistake::wrong_axis, name, x, where);
    int const owner = history.scope_of(name, hash(name), &identity_of<rotary_operation>, where);
    return {history,
            history.add({.operation = op::rope,
                         .operands = {x.at(), -1, -1},
                         .scope = owner,
                         .shape = value_of(Shape{}),
                         .groups = Value.heads,
                         .attention = &stored_attention<Value>}),
            where};
  }
};

struct rotary_spec {
  static constexpr std::string_view word = "rotary", arguments = "(axis, ...)", example = "rotary<\"R\">(axis, ...)";
  static constexpr std::size_t axes = 1;
  using options = options_known<head_count_option, rope_option_base>;
  static constexpr std::string_view known = "heads<8> rotary_width<64> half_split interleaved rope_base llama3_scaling";

  template <class Axis, class... Options>
  static constexpr attention_settings settings = [] {
    attention_settings s = settings_among<Options...>();
    if (s.value.heads == 0) s.value.heads = 1;
    s.rotates = true;
    (detail::set_rotation<Options>(s.value.rope), ...);
    return complete(s, Axis::extent);
  }();

  template <class Axis, class... Options>
  static constexpr report examine(std::string_view name) {
    phrase_parts const in{"in rotary<\"", name, "\">(...)"};
    if (report const found = examine_options<options, Options...>(in, known)) return found;
    if constexpr (!(option_is_positive<Options> && ...)) return not_positive<Options...>(in);
    if (!(scaling_in_order<Options> && ...)) return report(mistake::scaling_out_of_order).say(in);
    if (Axis::extent == run_time) return report(mistake::width_not_known).say(in).say({"axis: ", value_of(Axis{})});
    return examine_heads(settings<Axis, Options...>, Axis::extent, in);
  }

  template <text Name, class Axis, class... Options>
  static constexpr auto make(names<Name>, Axis, Options...) {
    return rotary_operation<Name, Axis, settings<Axis, Options...>.value>{};
  }
};

/// rotary<"R">(queries, heads<8>, interleaved): turns the pairs of channels of each head by the token's position; what
/// `rope(...)` does to queries and keys inside `attention`, and with its options. One head where none are given.
/// (..., T, queries) -> (..., T, queries). Source: Su et al. 2021, 2104.09864.
template <text... Name, class... Given>
constexpr auto rotary(Given... given) {
  using Made = made<rotary_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

}  // namespace residua::dsl
