#pragma once
#include <residua/dsl/residual.hpp>

namespace residua::dsl {

template <class T>
inline constexpr bool is_named_constant = false;
template <text Name>
inline constexpr bool is_named_constant<named_constant<Name>> = true;

template <class T>
inline constexpr bool is_learned_vector = false;
template <text Name, class Axis>
inline constexpr bool is_learned_vector<learned_vector_operation<Name, Axis>> = true;

/// What stands beside an expression for a value that is the same at each token: a number, with a name or without, a learned
/// scalar or a learned vector.
template <class T>
concept Term = std::is_arithmetic_v<std::remove_cvref_t<T>> || is_named_constant<std::remove_cvref_t<T>> || Factor<T>;

namespace detail {
template <class Shape>
constexpr expression<Shape> constant_term(double c, std::string_view symbol, expression<Shape> const& beside,
                                          std::source_location where) {
  trace& history = beside.history();
  if (!symbol.empty()) history.name_constant(symbol, c, where);
  return {history,
          history.add({.operation = op::constant, .shape = value_of(Shape{}), .factor = c, .symbol = symbol},
                      history[beside.at()].tokens),
          where};
}
template <class Shape, class Number>
  requires std::is_arithmetic_v<Number>
constexpr expression<Shape> term_beside(expression<Shape> const& x, Number c, std::source_location where) {
  return constant_term(static_cast<double>(c), {}, x, where);
}
template <class Shape, text Name>
constexpr expression<Shape> term_beside(expression<Shape> const& x, named_constant<Name> c, std::source_location where) {
  return constant_term(c.value, name_of<Name>, x, where);
}
template <class Shape, text Name>
constexpr expression<Shape> term_beside(expression<Shape> const& x, learned_scalar_operation<Name> alpha,
                                        std::source_location where) {
  return alpha.at_each_token(x, where);
}
template <class Shape, text Name, class Axis>
constexpr expression<Shape> term_beside(expression<Shape> const& x, learned_vector_operation<Name, Axis> v,
                                        std::source_location where) {
  require_feature_axis<Axis>(mistake::wrong_vector_axis, name_of<Name>, x, where);
  return {x.history(), v.at_each_token(x, where).at(), where};
}
template <class Shape, report const& Why>
constexpr poisoned term_beside(expression<Shape> const& x, poisoned_operation<Why> factor, std::source_location where) {
  return factor(x, where);
}
/// a and a term beside it, in this order or the other.
template <op Operation, bool TermFirst, class A, class T>
constexpr auto with_term(expression<A> const& a, T t, std::source_location where) {
  constexpr std::string_view symbol = Operation == op::add ? "+" : "-";
  auto const term = term_beside(a, t, where);
  if constexpr (Poisoned<decltype(term)>) return poisoned(term);
  else if constexpr (TermFirst) return pointwise(Operation, symbol, term, a, where);
  else return pointwise(Operation, symbol, a, term, where);
}
}  // namespace detail

/// x + c, x + b: a literal, a learned scalar or a learned vector is added to each token. The Jacobian by x is that of x.
template <class A, Term T>
constexpr auto operator+(expression<A> a, T t) {
  return detail::with_term<op::add, false>(a, t, a.where());
}
template <Term T, class A>
constexpr auto operator+(T t, expression<A> a) {
  return detail::with_term<op::add, true>(a, t, a.where());
}
template <class A, Term T>
constexpr auto operator-(expression<A> a, T t) {
  return detail::with_term<op::subtract, false>(a, t, a.where());
}
/// 1 - t, as beside a gate: its Jacobian is -J_t.
template <Term T, class A>
constexpr auto operator-(T t, expression<A> a) {
  return detail::with_term<op::subtract, true>(a, t, a.where());
}

/// a += F(a) is a = a + F(a), a += b one with a term; and so for -=.
template <class A, class B>
constexpr expression<A>& operator+=(expression<A>& a, B b) {
  if constexpr (Expression<B>) a = detail::pointwise(op::add, "+", a, b, b.where());
  else if constexpr (Term<B> && !is_poisoned_operation<B>) a = detail::with_term<op::add, false>(a, b, a.where());
  else detail::poison(detail::misuse<expression<A>, B>("operand of +="), a, b);
  return a;
}
template <class A, class B>
constexpr expression<A>& operator-=(expression<A>& a, B b) {
  if constexpr (Expression<B>) a = detail::pointwise(op::subtract, "-", a, b, b.where());
  else if constexpr (Term<B> && !is_poisoned_operation<B>) a = detail::with_term<op::subtract, false>(a, b, a.where());
  else detail::poison(detail::misuse<expression<A>, B>("operand of -="), a, b);
  return a;
}

/// at_each_token(v, x): a learned vector as a value of its own, the same at each token of x. v: (n); (B, T, d) -> (B, T, n)
template <text Name, class Axis, class Shape>
constexpr auto at_each_token(learned_vector_operation<Name, Axis> v, expression<Shape> const& x,
                             std::source_location where = std::source_location::current()) {
  return v.at_each_token(x, where);
}
/// at_each_token(alpha, x): a learned scalar as a number for each token. (B, T, d) -> (B, T, one)
template <text Name, class Shape>
constexpr auto at_each_token(learned_scalar_operation<Name> alpha, expression<Shape> const& x,
                             std::source_location where = std::source_location::current()) {
  using Number = with_feature_axis<Shape, std::remove_const_t<decltype(one)>>;
  return alpha.at_each_token(expression<Number>{x.history(), x.at(), where}, where);
}

/// at_each_token(c, x): what a sequence has one token of, a condition for all of it, at each token of x.
/// (B, one, c), (B, T, d) -> (B, T, c)
template <class Condition, class Shape>
constexpr auto at_each_token(expression<Condition> const& c, expression<Shape> const& x,
                             std::source_location where = std::source_location::current()) {
  using Result = with_feature_axis<Shape, feature_axis<Condition>>;
  constexpr shape_value from = value_of(Condition{}), to = value_of(Shape{});
  trace& history = x.history();
  if constexpr (!same_sequences(from, to) || from.axes[from.rank - 2].extent != 1)
    history.add_report(report(mistake::not_one_token, where).compare({"given"}, from, {"at each of"}, to));
  if constexpr (names_repeat(value_of(Result{}))) history.add_report(repeated_axis<Result>("at_each_token", where));
  int const tokens = history[x.at()].tokens;
  return expression<Result>{
      history, history.add({.operation = op::at_each_token, .operands = {c.at(), -1, -1}, .shape = value_of(Result{})}, tokens),
      where};
}
template <class... Given>
constexpr poisoned at_each_token(Given... given) {  // mistaken: something else than a vector or expression, and one
  std::string_view other = "other than two arguments";
  if (sizeof...(Given) == 2) ((other = Operand<Given> || is_learned_vector<Given> ? other : kind_of<Given>), ...);
  bool const is_operation = ((Operation<Given> && !is_learned_vector<Given>) || ...);
  return detail::poison(
      report(is_operation ? mistake::not_applied : mistake::not_an_expression).say({"in at_each_token(c, x)"}).given(other),
      given...);
}

}  // namespace residua::dsl
