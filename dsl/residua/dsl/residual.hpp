#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

namespace detail {
/// A node of two operands that must have one shape.
template <class A, class B>
constexpr expression<A> pointwise(op operation, mistake otherwise, std::string_view symbol, expression<A> const& a,
                                  expression<B> const& b, std::source_location where) {
  trace& history = a.history();
  shape_value const shape = value_of(A{});
  if constexpr (!same_shape<A, B>)
    history.fail({.kind = otherwise, .subject = symbol, .left = shape, .right = value_of(B{}), .where = where});
  return {history, history.add({.operation = operation, .operands = {a.at(), b.at(), -1}, .shape = shape}), where};
}

/// What an operator between A and B is a mistake of, and which of the two is given wrongly.
template <class A, class B>
constexpr failure misuse(std::string_view symbol, mistake of_expressions = mistake::not_an_expression,
                         mistake of_number = mistake::not_an_expression) {
  if constexpr (Operation<A>) return {.kind = mistake::not_applied, .subject = symbol, .given = kind_of<A>};
  else if constexpr (Operation<B>) return {.kind = mistake::not_applied, .subject = symbol, .given = kind_of<B>};
  else if constexpr (Operand<A> && Operand<B>) return {.kind = of_expressions, .subject = symbol};
  else if constexpr (std::is_arithmetic_v<A>) return {.kind = of_number, .subject = symbol, .given = kind_of<A>};
  else if constexpr (std::is_arithmetic_v<B>) return {.kind = of_number, .subject = symbol, .given = kind_of<B>};
  else if constexpr (Operand<A>) return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<B>};
  else return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<A>};
}

/// What the first argument is that is no axis.
template <class... Given>
constexpr std::string_view first_other() {
  std::string_view found = "too few or too many axes";
  (void)((!is_axis<Given> ? (found = kind_of<Given>, true) : false) || ...);
  return found;
}

template <class T>
concept Operator_argument = Operand<T> || Operation<T>;
template <class A, class B>
concept Misused = (Operator_argument<A> || Operator_argument<B>) && !(Expression<A> && Expression<B>);
}  // namespace detail

/// a + b, the residual addition: both sides have one shape.
template <class A, class B>
constexpr expression<A> operator+(expression<A> a, expression<B> b) {
  return detail::pointwise(op::add, mistake::shapes_differ, "+", a, b, later(a.where(), b.where()));
}
template <class A, class B>
constexpr expression<A> operator-(expression<A> a, expression<B> b) {
  return detail::pointwise(op::subtract, mistake::shapes_differ, "-", a, b, later(a.where(), b.where()));
}
/// hadamard(a, b): elementwise product, as in gated units; both sides have one shape.
template <class A, class B>
constexpr expression<A> hadamard(expression<A> const& a, expression<B> const& b,
                                 std::source_location where = std::source_location::current()) {
  return detail::pointwise(op::hadamard, mistake::hadamard_shapes_differ, "hadamard", a, b, where);
}

namespace detail {
template <class A>
constexpr expression<A> constant_multiple(double c, std::string_view symbol, expression<A> const& a) {
  trace& history = a.history();
  return {
      history,
      history.add(
          {.operation = op::constant_multiple, .operands = {a.at(), -1, -1}, .shape = value_of(A{}), .factor = c, .symbol = symbol}),
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
  return detail::constant_multiple(1.0 / static_cast<double>(c), {}, a);
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
template <class... Given>
constexpr auto constant(Given...) {  // mistaken: no name
  using Message = nameless_message<"constant<\"alpha\">(2.83)", Given...>;
  said(static_cast<Message*>(nullptr));
  return broken_operation{};
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
    return {history,
            history.add(
                {.operation = op::scalar_multiple, .operands = {x.at(), -1, -1}, .scope = owner, .shape = value_of(Shape{})}),
            where};
  }
};
// A mistaken name waits until the scalar is used, for g++ makes it only then.
template <text Name>
inline constexpr typename making<learned_scalar_operation<Name>, name_message<Name, "name">, epsilon_option>::type learned_scalar;

/// A learned vector over the feature axis: `gamma * F(x)` is diag(gamma) F(x).
template <text Name, class Axis>
struct learned_vector_operation : operation<learned_vector_operation<Name, Axis>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr expression<Shape> apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    require_feature_axis<Axis>(mistake::wrong_vector_axis, name, x, where);
    int const owner = history.scope_of(name, hash(name), &identity_of<learned_vector_operation>, where);
    return {history,
            history.add(
                {.operation = op::vector_multiple, .operands = {x.at(), -1, -1}, .scope = owner, .shape = value_of(Shape{})}),
            where};
  }
};
template <text Name, class Axis, class... Options>
  requires(is_axis<Axis>)
constexpr auto learned_vector(Axis, Options...) {
  using Message =
      first_message_of<typename Axis::message, options_message<"learned_vector", Name, options_known<>, "none", Options...>>;
  using Made = making<learned_vector_operation<Name, Axis>, Message, Options...>;
  said(static_cast<typename Made::message*>(nullptr));
  return typename Made::type{};
}

// Mistaken: no axis, or no name.
template <text Name, class... Given>
constexpr auto learned_vector(Given... given) {
  using Made = making<void, misfit_message<joined<"learned_vector<\"", Name, "\">(axis)">, Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: learned_vector<\"g\">(d)", given...);
}
template <class... Given>
constexpr auto learned_vector(Given... given) {
  using Made = making<void, nameless_message<"learned_vector<\"g\">(d)", Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: learned_vector<\"g\">(d)", given...);
}

template <class T>
inline constexpr bool is_mistaken = std::is_same_v<T, broken_operation>;
template <mistake Kind, text Details>
inline constexpr bool is_mistaken<mistaken_operation<Kind, Details>> = true;

template <class T>
concept Factor = requires(std::remove_cvref_t<T> factor) { []<text N>(learned_scalar_operation<N>) {}(factor); } ||
                 requires(std::remove_cvref_t<T> factor) { []<text N, class A>(learned_vector_operation<N, A>) {}(factor); } ||
                 is_mistaken<std::remove_cvref_t<T>>;
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
  constexpr bool present = [] {
    constexpr auto axes = value_of(Shape{});
    for (std::size_t i = 0; i < axes.rank; ++i)
      if (axes.axes[i] == value_of(From{})) return true;
    return false;
  }();
  constexpr mistake wrong = !present                     ? mistake::axis_not_in_expression
                            : From::extent != To::extent ? mistake::renamed_extent_differs
                                                         : mistake::none;
  trace& history = x.history();
  if constexpr (wrong != mistake::none) {
    history.fail({.kind = wrong, .left = value_of(Shape{}), .right = {{value_of(From{}), value_of(To{})}, 2}, .where = where});
    return expression<Shape>{history, x.at(), where};
  } else {
    using Renamed = decltype(hana::unpack(Shape{}, [](auto... axis) {
      return hana::make_tuple([](auto a) {
        if constexpr (std::is_same_v<decltype(a), From>) return To{};
        else return a;
      }(axis)...);
    }));
    if constexpr (names_repeat(value_of(Renamed{})))
      history.fail({.kind = mistake::axis_repeated, .subject = "renamed", .right = value_of(Renamed{}), .where = where});
    return expression<Renamed>{
        history, history.add({.operation = op::renamed, .operands = {x.at(), -1, -1}, .shape = value_of(Renamed{})}), where};
  }
}

/// a += F(a) is a = a + F(a); and so for -=.
template <class A, class B>
constexpr expression<A>& operator+=(expression<A>& a, B b) {
  if constexpr (Expression<B>) a = detail::pointwise(op::add, mistake::shapes_differ, "+", a, b, b.where());
  else
    a.history().fail(
        detail::reject(detail::misuse<expression<A>, B>("operand of +=", mistake::not_an_expression, mistake::number_added), b)
            .why);
  return a;
}
template <class A, class B>
constexpr expression<A>& operator-=(expression<A>& a, B b) {
  if constexpr (Expression<B>) a = detail::pointwise(op::subtract, mistake::shapes_differ, "-", a, b, b.where());
  else
    a.history().fail(
        detail::reject(detail::misuse<expression<A>, B>("operand of -=", mistake::not_an_expression, mistake::number_added), b)
            .why);
  return a;
}

// Operators on what is no expression, or no number: one message each, and no "no match for operator" after it. The
// arguments are copied, for the copy knows its place in the user's code.
template <class A, class B>
  requires detail::Misused<A, B>
constexpr rejected operator+(A a, B b) {
  return detail::reject(detail::misuse<A, B>("operand of +", mistake::not_an_expression, mistake::number_added), a, b);
}
template <class A, class B>
  requires detail::Misused<A, B>
constexpr rejected operator-(A a, B b) {
  return detail::reject(detail::misuse<A, B>("operand of -", mistake::not_an_expression, mistake::number_added), a, b);
}
template <class A>
  requires(Rejected<A> || Operation<A>)
constexpr rejected operator-(A a) {
  return detail::reject(detail::misuse<A, A>("operand of -"), a);
}
template <class A, class B>
  requires(detail::Operator_argument<A> || detail::Operator_argument<B>)
constexpr rejected operator*(A a, B b) {
  return detail::reject(detail::misuse<A, B>("operand of *", mistake::product_of_expressions), a, b);
}
template <class A, class B>
  requires(detail::Operator_argument<A> || detail::Operator_argument<B>)
constexpr rejected operator/(A a, B b) {
  return detail::reject(detail::misuse<A, B>("operand of /", mistake::divided_by_expression, mistake::divided_by_expression), a,
                        b);
}
template <class A, class B>
  requires(detail::Operator_argument<A> || detail::Operator_argument<B>)
constexpr rejected operator^(A a, B b) {
  return detail::reject(detail::misuse<A, B>("operand of ^", mistake::product_of_expressions, mistake::product_of_expressions), a,
                        b);
}
template <class A, class B>
constexpr rejected hadamard(A a, B b) {
  return detail::reject(detail::misuse<A, B>("in hadamard(a, b)"), a, b);
}
template <class... Given>
constexpr rejected hadamard(Given... given) {
  return detail::reject({.kind = mistake::not_an_expression, .subject = "in hadamard(a, b)", .given = "other than two arguments"},
                        given...);
}
template <class X, class... Given>
constexpr rejected renamed(X x, Given... given) {
  if constexpr (Operation<X>)
    return detail::reject({.kind = mistake::not_applied, .subject = "in renamed(x, d, h)", .given = kind_of<X>}, x, given...);
  else if constexpr (!Operand<X>)
    return detail::reject({.kind = mistake::not_an_expression, .subject = "in renamed(x, d, h)", .given = kind_of<X>}, x,
                          given...);
  else
    return detail::reject(
        {.kind = mistake::not_an_axis, .subject = "in renamed(x, d, h)", .given = detail::first_other<Given...>()}, x, given...);
}

}  // namespace residua::dsl
