#pragma once
// What the placements share. Each is a function of expressions, called inside a block; its norms and branches are operations, or
// functions of an expression: `[&](auto z) { return X(z, memory); }` for a branch that reads a memory.
#include <residua/dsl.hpp>

namespace residua::placements {
using namespace residua::dsl;

namespace detail {

/// What can stand for a norm or a branch. An expression has a message of its own, where it is called.
template <class F>
inline constexpr bool applies = Operation<F> || Operand<F>;
template <class F>
  requires(std::is_class_v<F> && !requires { F::kind; })
inline constexpr bool applies<F> = true;

/// body(x, ...) with its mistakes at the user's line; one message where x is no expression, or F no operation.
template <class... F, class X, class Body, class... More>
constexpr auto placed(std::string_view spelling, std::source_location where, Body const& body, X const& x, More const&... more) {
  if constexpr (Expression<X> && (Expression<More> && ...) && (applies<F> && ...))
    return x.history().on_line(where, [&] { return body(x, more...); });
  else if constexpr (Expression<X> && (Expression<More> && ...)) {
    std::string_view given{};
    ((given = given.empty() && !applies<F> ? kind_of<F> : given), ...);
    return x.history().poison(report(mistake::not_an_operation, where).say({spelling}).given(given));
  } else return dsl::detail::poison(dsl::detail::misgiven<1 + sizeof...(More), X, More...>(spelling).at(where), x, more...);
}

/// Runs `body` with its names below `Name`.
template <text Name>
inline constexpr char named_identity = 0;
template <text Name, class X, class Body>
constexpr auto named(X const& x, std::source_location where, Body const& body) {
  trace& history = x.history();
  return history.within(history.scope_of(name_of<Name>, hash(name_of<Name>), &named_identity<Name>, where), body);
}

/// The square root, by Newton's steps from above: they end where no step goes down.
constexpr double root(double x) {
  double above = x > 1 ? x : 1;
  for (double next = 0.5 * (above + x / above); next < above; next = 0.5 * (above + x / above)) above = next;
  return above;
}

template <class X>
using axis_of = feature_axis<typename X::shape>;

}  // namespace detail

/// The line of the call, for messages.
using line = std::source_location;

}  // namespace residua::placements
