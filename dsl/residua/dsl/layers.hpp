#pragma once
#include <residua/dsl/operation.hpp>
#include <utility>

namespace residua::dsl {

namespace detail {

/// One address for each place of `layers`: the same function twice is the same layers, with the same parameters.
template <text Name, int Count, class Body>
struct layered {};

/// What is wrong with the function of a layer.
template <class Body>
constexpr report examine_layer_function() {
  if constexpr (Operation<Body>) return report(mistake::not_a_function_of_a_layer).given(kind_of<Body>);
  else if constexpr (!std::is_invocable_v<Body&, std::integral_constant<int, 0>>)
    return report(mistake::not_a_function_of_a_layer).given(kind_of<Body>);
  else {
    using Result = std::invoke_result_t<Body&, std::integral_constant<int, 0>>;
    return std::is_void_v<Result> ? report() : report(mistake::layers_return).given(kind_of<Result>);
  }
}

/// What is wrong with `layers` before any is run.
template <text Name, int Count, class Body>
constexpr report examine_layers_made() {
  if constexpr (!is_identifier(name_of<Name>)) return report(mistake::not_an_identifier).named("in layers", name_of<Name>);
  else {
    report found = Count < 1 ? report(mistake::no_layers).say({"layers: ", std::int64_t{Count}}) : examine_layer_function<Body>();
    return found ? found.say({"in layers \"", name_of<Name>, "\""}) : found;
  }
}

}  // namespace detail

/// layers<"h", 12>(x, [&](auto layer) { ... }): runs the function for each layer, at once and in place, with its names below
/// h.0, h.1, ... What passes from layer to layer are variables around it, which it captures: several streams, or a history of
/// any depth. `x`: any value of the block; `layer`: a std::integral_constant.
template <text Name, int Count, class Shape, class Body>
constexpr auto layers(expression<Shape> const& x, Body body, std::source_location where = std::source_location::current()) {
  constexpr report wrong = detail::examine_layers_made<Name, Count, Body>();
  trace& history = x.history();
  if constexpr (wrong) return history.poison(wrong.at(where));
  else {
    char const* const identity = &identity_of<detail::layered<Name, Count, Body>>;
    int const whole = history.scope_of(name_of<Name>, hash(name_of<Name>), identity, where);
    auto run = [&]<int Layer>(std::integral_constant<int, Layer> layer) {
      history.within(whole, [&] {
        int const here = history.scope_of({}, 0, identity, where, Layer);
        return history.within(here, [&] { return (body(layer), 0); });
      });
    };
    [&]<int... Layer>(std::integer_sequence<int, Layer...>) {
      (run(std::integral_constant<int, Layer>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
  }
}

// Mistaken: not a value of the block and a function, or no number of layers, or no name.
template <text Name, int Count, class... Given>
constexpr poisoned layers(Given... given) {
  report found(mistake::not_an_expression);
  found.say({"in layers \"", name_of<Name>, "\""}).given("not a value and a function");
  return detail::poison(found, given...);
}
template <text... Name, class... Given>
constexpr poisoned layers(Given... given) {
  report found(sizeof...(Name) == 0 ? mistake::no_name : mistake::no_layers);
  found.say({"made as: layers<\"h\", 12>(x, f)"});
  return detail::poison(found, given...);
}

}  // namespace residua::dsl
