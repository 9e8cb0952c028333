#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

namespace detail {
/// A node of two operands that must have one shape.
template <class A, class B>
constexpr expression<A> pointwise(op operation, std::string_view symbol, expression<A> const& a, expression<B> const& b,
                                  std::source_location where) {
  trace& history = a.history();
  shape_value const shape = value_of(A{});
  if constexpr (!same_shape<A, B>)
    history.fail({.kind = mistake::shapes_differ, .subject = symbol, .left = shape, .right = value_of(B{}), .where = where});
  return {history, history.add({.operation = operation, .operands = {a.at(), b.at()}, .shape = shape}), where};
}

template <class A, class B>
constexpr failure misuse(std::string_view symbol, A const& a, B const& b) {
  if constexpr (Rejected<A>) return a.why;
  else if constexpr (Rejected<B>) return b.why;
  else if constexpr (Expression<A> && Expression<B>)
    return {.kind = mistake::product_of_expressions, .subject = symbol, .where = later(a.where(), b.where())};
  else if constexpr (Expression<A>)
    return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<B>, .where = a.where()};
  else if constexpr (Expression<B>)
    return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<A>, .where = b.where()};
  else if constexpr (Operation<A>) return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<A>};
  else return {.kind = mistake::not_an_expression, .subject = symbol, .given = kind_of<B>};
}

/// What an operator makes of an operand that is no expression. The other one's trace keeps it, should the result be unused.
template <class A, class B>
constexpr rejected reject(std::string_view symbol, A const& a, B const& b) {
  rejected const made{misuse(symbol, a, b)};
  if constexpr (Expression<A>) a.history().fail(made.why);
  else if constexpr (Expression<B>) b.history().fail(made.why);
  return made;
}

template <class T>
concept Operand = Expression<T> || Rejected<T> || Operation<T>;
template <class A, class B>
concept Misused = (Operand<A> || Operand<B>) && !(Expression<A> && Expression<B>);
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
constexpr expression<A> constant_multiple(double c, std::string_view symbol, expression<A> const& a) {
  trace& history = a.history();
  return {
      history,
      history.add(
          {.operation = op::constant_multiple, .operands = {a.at(), -1}, .shape = value_of(A{}), .number = c, .symbol = symbol}),
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
  double value;
};
template <text Name>
constexpr named_constant<Name> constant(double value) {
  return {value};
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
            history.add({.operation = op::scalar_multiple,
                         .operands = {x.at(), -1},
                         .scope = owner,
                         .shape = value_of(Shape{}),
                         .has_weight = true}),
            where};
  }
};
template <text Name>
inline constexpr auto learned_scalar =
    (said(static_cast<name_message<Name>*>(nullptr)),
     std::conditional_t<is_identifier(name_of<Name>), learned_scalar_operation<Name>, broken_operation>{});

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
            history.add({.operation = op::vector_multiple,
                         .operands = {x.at(), -1},
                         .scope = owner,
                         .shape = value_of(Shape{}),
                         .has_weight = true}),
            where};
  }
};
template <text Name, class Axis>
constexpr auto learned_vector(Axis) {
  using Message = axes_message<"learned_vector", Name, Axis>;
  said(static_cast<Message*>(nullptr));
  if constexpr (std::is_same_v<Message, no_message>) return learned_vector_operation<Name, Axis>{};
  else return broken_operation{};
}

template <class T>
concept Factor = requires(std::remove_cvref_t<T> factor) { []<text N>(learned_scalar_operation<N>) {}(factor); } ||
                 requires(std::remove_cvref_t<T> factor) { []<text N, class A>(learned_vector_operation<N, A>) {}(factor); } ||
                 std::same_as<std::remove_cvref_t<T>, broken_operation>;
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
constexpr auto renamed(expression<Shape> const& x, From from, To to,
                       std::source_location where = std::source_location::current()) {
  constexpr bool present = [] {
    constexpr auto axes = value_of(Shape{});
    for (std::size_t i = 0; i < axes.rank; ++i)
      if (axes.axes[i] == value_of(From{})) return true;
    return false;
  }();
  trace& history = x.history();
  if constexpr (!present || From::extent != To::extent) {
    history.fail({.kind = mistake::cannot_rename,
                  .subject = "renamed",
                  .left = value_of(Shape{}),
                  .right = {{present ? value_of(To{}) : value_of(From{})}, 1},
                  .where = where});
    return expression<Shape>{history, x.at(), where};
  } else {
    using Renamed = decltype(hana::unpack(Shape{}, [](auto... axis) {
      return hana::make_tuple([](auto a) {
        if constexpr (std::is_same_v<decltype(a), From>) return To{};
        else return a;
      }(axis)...);
    }));
    (void)from, (void)to;
    if constexpr (names_repeat(value_of(Renamed{})))
      history.fail({.kind = mistake::axis_repeated, .subject = "renamed", .right = value_of(Renamed{}), .where = where});
    return expression<Renamed>{
        history, history.add({.operation = op::renamed, .operands = {x.at(), -1}, .shape = value_of(Renamed{})}), where};
  }
}

// Operators on something that is no expression: one message each, and no "no match for operator" after it.
template <class A, class B>
  requires detail::Misused<A, B>
constexpr rejected operator+(A const& a, B const& b) {
  return detail::reject("+", a, b);
}
template <class A, class B>
  requires detail::Misused<A, B>
constexpr rejected operator-(A const& a, B const& b) {
  return detail::reject("-", a, b);
}
template <class A, class B>
  requires(detail::Operand<A> || detail::Operand<B>)
constexpr rejected operator*(A const& a, B const& b) {
  return detail::reject("*", a, b);
}
template <class A, class B>
  requires(detail::Operand<A> || detail::Operand<B>)
constexpr rejected operator/(A const& a, B const& b) {
  return detail::reject("/", a, b);
}
template <class A>
  requires(Rejected<A> || Operation<A>)
constexpr rejected operator-(A const& a) {
  return detail::reject("-", a, a);
}
template <class A, class B>
constexpr rejected hadamard(A const& a, B const& b, std::source_location = std::source_location::current()) {
  return detail::reject("hadamard", a, b);
}
template <class X, class From, class To>
constexpr rejected renamed(X const& x, From const&, To const&, std::source_location = std::source_location::current()) {
  return detail::reject("renamed", x, x);
}

}  // namespace residua::dsl
