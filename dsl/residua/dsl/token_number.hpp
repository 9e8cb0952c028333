#pragma once
#include <residua/dsl/residual.hpp>

// Numbers of tokens: values whose feature axis has the extent 1.
namespace residua::dsl {

namespace detail {
template <class Shape>
inline constexpr bool is_number_of_token = feature_axis<Shape>::extent == 1;

/// A number for each token of x.
template <class Shape>
constexpr auto reduced(node made, std::string_view word, expression<Shape> const& x, std::source_location where) {
  using Result = with_feature_axis<Shape, std::remove_const_t<decltype(one)>>;
  trace& history = x.history();
  if constexpr (names_repeat(value_of(Result{}))) history.add_report(repeated_axis<Result>(word, where));
  made.shape = value_of(Result{});
  return expression<Result>{history, history.add(made), where};
}

template <class S, class X>
constexpr expression<X> token_multiple(expression<S> const& s, expression<X> const& x, std::source_location where) {
  trace& history = x.history();
  if constexpr (!same_shape<with_feature_axis<S, feature_axis<X>>, X>)
    history.add_report(report(mistake::shapes_differ, where).compare({"numbers"}, value_of(S{}), {"stream"}, value_of(X{})));
  return {history, history.add({.operation = op::token_multiple, .operands = {x.at(), s.at(), -1}, .shape = value_of(X{})}),
          where};
}
}  // namespace detail

/// s * x: each token times its own number; s ends in an axis of extent 1. The Jacobian is s J_x + x J_s.
template <class A, class B>
constexpr auto operator*(expression<A> a, expression<B> b) {
  std::source_location const where = later(a.where(), b.where());
  if constexpr (detail::is_number_of_token<A>) return detail::token_multiple(a, b, where);
  else if constexpr (detail::is_number_of_token<B>) return detail::token_multiple(b, a, where);
  else return detail::poison(report(mistake::product_of_expressions).say({"operand of *"}), a, b);
}

/// mean(x): over the features of each token. (B, T, d) -> (B, T, one)
template <class Shape>
constexpr auto mean(expression<Shape> const& x, std::source_location where = std::source_location::current()) {
  return detail::reduced({.operation = op::mean, .operands = {x.at(), -1, -1}}, "mean", x, where);
}

/// inner(a, b): the sum over the features of a .* b. Both (B, T, d) -> (B, T, one)
template <class A, class B>
constexpr auto inner(expression<A> const& a, expression<B> const& b,
                     std::source_location where = std::source_location::current()) {
  if constexpr (!same_shape<A, B>)
    a.history().add_report(
        report(mistake::shapes_differ, where).compare({"first of inner"}, value_of(A{}), {"second of inner"}, value_of(B{})));
  return detail::reduced({.operation = op::inner, .operands = {a.at(), b.at(), -1}}, "inner", a, where);
}

// Mistaken: no expressions, or not as many.
template <class... Given>
constexpr poisoned mean(Given... given) {
  return detail::poison(detail::misgiven<1, Given...>("in mean(x)"), given...);
}
template <class... Given>
constexpr poisoned inner(Given... given) {
  return detail::poison(detail::misgiven<2, Given...>("in inner(a, b)"), given...);
}

}  // namespace residua::dsl
