#pragma once
#include <residua/dsl/maker.hpp>

namespace residua::dsl {

namespace detail {
/// A node of two operands that must have one shape.
template <class A, class B>
constexpr expression<A> pointwise(op operation, std::string_view symbol, expression<A> const& a, expression<B> const& b,
                                  std::source_location where) {
  trace& history = a.history();
  shape_value const shape = value_of(A{});
  if constexpr (!same_shape<A, B>) {
    if (symbol == "hadamard")
      history.add_report(report(mistake::hadamard_shapes_differ, where).compare({"first"}, shape, {"second"}, value_of(B{})));
    else
      history.add_report(
          report(mistake::shapes_differ, where).compare({"left of ", symbol}, shape, {"right of ", symbol}, value_of(B{})));
  }
  return {history, history.add({.operation = operation, .operands = {a.at(), b.at(), -1}, .shape = shape}), where};
}

/// What is wrong with an operator between A and B, by the first of them that is given wrongly.
template <class A, class B>
constexpr report misuse(std::string_view operand, mistake of_expressions = mistake::not_an_expression,
                        mistake of_number = mistake::not_an_expression) {
  if constexpr (Operation<A>) return report(mistake::not_applied).say({operand}).given(kind_of<A>);
  else if constexpr (Operation<B>) return report(mistake::not_applied).say({operand}).given(kind_of<B>);
  else if constexpr (Operand<A> && Operand<B>) return report(of_expressions).say({operand});
  else if constexpr (std::is_arithmetic_v<A>) return report(of_number).say({operand}).given(kind_of<A>);
  else if constexpr (std::is_arithmetic_v<B>) return report(of_number).say({operand}).given(kind_of<B>);
  else if constexpr (Operand<A>) return report(mistake::not_an_expression).say({operand}).given(kind_of<B>);
  else return report(mistake::not_an_expression).say({operand}).given(kind_of<A>);
}

/// What is wrong with these as the arguments of a function of so many expressions.
template <std::size_t Count, class... Given>
constexpr report misgiven(std::string_view where) {
  bool const is_operation = (Operation<Given> || ...);
  std::string_view other = Count == 1 ? "other than one argument" : "other than two arguments";
  if (sizeof...(Given) == Count) ((other = !Operand<Given> && Operation<Given> == is_operation ? kind_of<Given> : other), ...);
  return report(sizeof...(Given) == Count && is_operation ? mistake::not_applied : mistake::not_an_expression)
      .say({where})
      .given(other);
}

template <class T>
concept OperatorArgument = Operand<T> || Operation<T> || Streams<T>;
template <class A, class B>
concept Misused = (OperatorArgument<A> || OperatorArgument<B>) && !(Expression<A> && Expression<B>);
}  // namespace detail

/// a + b, the residual addition: both sides have one shape.
template <class A, class B>
constexpr expression<A> operator+(expression<A> a, expression<B> b) {
  return detail::pointwise(op::add, "+", a, b, later(a.where(), b.where()));
}
template <class A, class B>
constexpr expression<A> operator-(expression<A> a, expression<B> b) {
  return detail::pointwise(op::subtract, "-", a, b, later(a.where(), b.where()));
}
/// hadamard(a, b): elementwise product, as in gated units; both sides have one shape.
template <class A, class B>
constexpr expression<A> hadamard(expression<A> const& a, expression<B> const& b,
                                 std::source_location where = std::source_location::current()) {
  return detail::pointwise(op::hadamard, "hadamard", a, b, where);
}

namespace detail {
template <class A>
constexpr expression<A> constant_multiple(double c, std::string_view symbol, expression<A> const& a, double divisor = 0) {
  trace& history = a.history();
  if (!symbol.empty()) history.name_constant(symbol, c, a.where());
  return {history,
          history.add({.operation = op::constant_multiple,
                       .operands = {a.at(), -1, -1},
                       .shape = value_of(A{}),
                       .factor = c,
                       .divisor = divisor,
                       .symbol = symbol}),
          a.where()};
}
}  // namespace detail

/// c a, for a literal c.
template <class Number, class A>
  requires std::is_arithmetic_v<Number>
constexpr expression<A> operator*(Number c, expression<A> a) {
  return detail::constant_multiple(static_cast<double>(c), {}, a);
}
template <class A, class Number>
  requires std::is_arithmetic_v<Number>
constexpr expression<A> operator*(expression<A> a, Number c) {
  return detail::constant_multiple(static_cast<double>(c), {}, a);
}
template <class A, class Number>
  requires std::is_arithmetic_v<Number>
constexpr expression<A> operator/(expression<A> a, Number c) {
  auto const divisor = static_cast<double>(c);
  return detail::constant_multiple(1.0 / divisor, {}, a, divisor);
}
template <class A>
constexpr expression<A> operator-(expression<A> a) {
  return detail::constant_multiple(-1.0, {}, a);
}

/// A literal with a name: `constant<"alpha">(2.83) * x` prints as alpha.
template <text Name>
struct named_constant {
  static constexpr std::string_view kind = "the constant";
  static constexpr std::string_view name = name_of<Name>;
  double value;
};
template <text Name>
constexpr named_constant<Name> constant(double value) {
  return {value};
}
struct constant_spec {
  static constexpr std::string_view word = "constant", example = "constant<\"alpha\">(2.83)";
  static constexpr std::size_t axes = 0;
};
template <class... Given>
constexpr auto constant(Given... given) {  // mistaken: no name
  using Made = made<constant_spec, names<>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}
template <text Name, class A>
constexpr expression<A> operator*(named_constant<Name> c, expression<A> a) {
  return detail::constant_multiple(c.value, name_of<Name>, a);
}
template <text Name, class A>
constexpr expression<A> operator*(expression<A> a, named_constant<Name> c) {
  return detail::constant_multiple(c.value, name_of<Name>, a);
}

/// A learned scalar, a parameter of rank 0 called by its name: `alpha * F(x)`.
template <text Name>
struct learned_scalar_operation : operation<learned_scalar_operation<Name>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    int const owner = history.scope_of(name, hash(name), &identity_of<learned_scalar_operation>, where);
    return {
        history,
        history.add({.operation = op::scalar_multiple, .operands = {x.at(), -1, -1}, .scope = owner, .shape = value_of(Shape{})}),
        where};
  }
  /// The scalar as a value of x's shape.
  template <class Shape>
  static constexpr expression<Shape> at_each_token(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    int const owner = history.scope_of(name, hash(name), &identity_of<learned_scalar_operation>, where);
    int const tokens = history[x.at()].tokens;
    return {history, history.add({.operation = op::learned_scalar, .scope = owner, .shape = value_of(Shape{})}, tokens), where};
  }
};
template <text Name>
inline constexpr report learned_scalar_report = examine_scalar_name(name_of<Name>);
// A mistaken name is told where the scalar is used, for g++ makes it only then.
template <text Name>
inline constexpr std::conditional_t<static_cast<bool>(learned_scalar_report<Name>),
                                    poisoned_operation<learned_scalar_report<Name>>, learned_scalar_operation<Name>>
    learned_scalar;

/// A learned vector over the feature axis: `gamma * F(x)` is diag(gamma) F(x).
template <text Name, class Axis>
struct learned_vector_operation : operation<learned_vector_operation<Name, Axis>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    require_feature_axis<Axis>(mistake::wrong_vector_axis, name, x, where);
    int const owner = history.scope_of(name, hash(name), &identity_of<learned_vector_operation>, where);
    return {
        history,
        history.add({.operation = op::vector_multiple, .operands = {x.at(), -1, -1}, .scope = owner, .shape = value_of(Shape{})}),
        where};
  }
  /// The vector as a value: (B, T, d) -> (B, T, n), n its axis.
  template <class Shape>
  static constexpr auto at_each_token(expression<Shape> const& x, std::source_location where) {
    using Result = with_feature_axis<Shape, Axis>;
    trace& history = x.history();
    if constexpr (names_repeat(value_of(Result{}))) history.add_report(repeated_axis<Result>(name, where));
    int const owner = history.scope_of(name, hash(name), &identity_of<learned_vector_operation>, where);
    int const tokens = history[x.at()].tokens;
    return expression<Result>{
        history, history.add({.operation = op::learned_vector, .scope = owner, .shape = value_of(Result{})}, tokens), where};
  }
};
struct learned_vector_spec {
  static constexpr std::string_view word = "learned_vector", arguments = "(axis)", example = "learned_vector<\"g\">(d)";
  static constexpr std::size_t axes = 1;
  using options = options_known<>;
  static constexpr std::string_view known = "none";

  template <text Name, class Axis, class... Options>
  static constexpr auto make(names<Name>, Axis, Options...) {
    return learned_vector_operation<Name, Axis>{};
  }
};
template <text... Name, class... Given>
constexpr auto learned_vector(Given... given) {
  using Made = made<learned_vector_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

template <class T>
inline constexpr bool is_poisoned_operation = false;
template <report const& Why>
inline constexpr bool is_poisoned_operation<poisoned_operation<Why>> = true;

template <class T>
concept Factor = requires(std::remove_cvref_t<T> factor) { []<text N>(learned_scalar_operation<N>) {}(factor); } ||
                 requires(std::remove_cvref_t<T> factor) { []<text N, class A>(learned_vector_operation<N, A>) {}(factor); } ||
                 is_poisoned_operation<std::remove_cvref_t<T>>;
template <Factor F, class A>
constexpr auto operator*(F factor, expression<A> a) {
  return factor(a, a.where());
}
template <class A, Factor F>
constexpr auto operator*(expression<A> a, F factor) {
  return factor(a, a.where());
}

/// renamed(x, from, to): the same values with one axis under another name; the two have one extent.
template <class Shape, class From, class To>
  requires(is_axis<From> && is_axis<To>)
constexpr auto renamed(expression<Shape> const& x, From, To, std::source_location where = std::source_location::current()) {
  using Renamed = decltype(hana::unpack(Shape{}, [](auto... axis) {
    return hana::make_tuple([](auto a) {
      if constexpr (std::is_same_v<decltype(a), From>) return To{};
      else return a;
    }(axis)...);
  }));
  shape_value const given = value_of(Shape{});
  axis_value const from = value_of(From{}), to = value_of(To{});
  trace& history = x.history();
  if constexpr (!has_axis(value_of(Shape{}), value_of(From{}))) {
    history.add_report(report(mistake::axis_not_in_expression, where).say({"given: ", given}).say({"no axis: ", from}));
    return expression<Shape>{history, x.at(), where};
  } else if constexpr (From::extent != To::extent) {
    history.add_report(
        report(mistake::renamed_extent_differs, where).say({"given: ", given}).say({"from: ", from}).say({"to: ", to}));
    return expression<Shape>{history, x.at(), where};
  } else {
    if constexpr (names_repeat(value_of(Renamed{}))) history.add_report(repeated_axis<Renamed>("renamed", where));
    return expression<Renamed>{
        history, history.add({.operation = op::renamed, .operands = {x.at(), -1, -1}, .shape = value_of(Renamed{})}), where};
  }
}

// Operators on what is no expression, or no number: one message each, and no "no match for operator" after it. The
// arguments are copied, for the copy knows its place in the user's code.
template <class A, class B>
  requires detail::Misused<A, B>
constexpr poisoned operator+(A a, B b) {
  return detail::poison(detail::misuse<A, B>("operand of +"), a, b);
}
template <class A, class B>
  requires detail::Misused<A, B>
constexpr poisoned operator-(A a, B b) {
  return detail::poison(detail::misuse<A, B>("operand of -"), a, b);
}
template <class A>
  requires(Poisoned<A> || Operation<A>)
constexpr poisoned operator-(A a) {
  return detail::poison(detail::misuse<A, A>("operand of -"), a);
}
template <class A, class B>
  requires(detail::OperatorArgument<A> || detail::OperatorArgument<B>)
constexpr poisoned operator*(A a, B b) {
  return detail::poison(detail::misuse<A, B>("operand of *", mistake::product_of_expressions), a, b);
}
template <class A, class B>
  requires(detail::OperatorArgument<A> || detail::OperatorArgument<B>)
constexpr poisoned operator/(A a, B b) {
  return detail::poison(detail::misuse<A, B>("operand of /", mistake::divided_by_expression, mistake::divided_by_expression), a,
                        b);
}
template <class A, class B>
  requires(detail::OperatorArgument<A> || detail::OperatorArgument<B>)
constexpr poisoned operator^(A a, B b) {
  return detail::poison(detail::misuse<A, B>("operand of ^", mistake::product_of_expressions, mistake::product_of_expressions), a,
                        b);
}
template <class A, class B>
constexpr poisoned hadamard(A a, B b) {
  return detail::poison(detail::misuse<A, B>("in hadamard(a, b)"), a, b);
}
template <class... Given>
constexpr poisoned hadamard(Given... given) {
  return detail::poison(report(mistake::not_an_expression).say({"in hadamard(a, b)"}).given("other than two arguments"),
                        given...);
}
template <class X, class... Given>
constexpr poisoned renamed(X x, Given... given) {
  report found(Operation<X> ? mistake::not_applied : !Operand<X> ? mistake::not_an_expression : mistake::not_an_axis);
  found.say({"in renamed(x, d, h)"});
  std::string_view other = Operand<X> ? "too few or too many axes" : kind_of<X>;
  (void)((Operand<X> && !is_axis<Given> && (other = kind_of<Given>, true)) || ...);
  return detail::poison(found.given(other), x, given...);
}

}  // namespace residua::dsl
