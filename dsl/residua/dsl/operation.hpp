#pragma once
#include <residua/dsl/stream_values.hpp>

namespace residua::dsl {

struct operation_base {
  static constexpr std::string_view kind = "the operation";
  static constexpr bool reads_memory = false;   // applied to two expressions
  static constexpr bool reads_several = false;  // applied to as many as its streams
  static constexpr std::string_view too_many = "several";
};

template <class T>
concept Operation = std::derived_from<std::remove_cvref_t<T>, operation_base>;

namespace detail {
/// Stands in for the result of these. Their first trace keeps the report, should the result be unused; and the message
/// points to the line where the last expression among them was made or copied. An earlier mistake comes first.
template <class... Given>
constexpr poisoned poison(report found, Given const&... given) {
  std::source_location place{};
  bool earlier = false;
  auto look = [&]<class T>(T const& each) {
    if constexpr (Poisoned<T>) {
      if (!earlier) found = each.why;
      earlier = true;
    } else if constexpr (Values<T>) {
      place = later(place, each.where());
    }
  };
  (look(given), ...);
  found = found.at(place);
  auto record = [&]<class T>(T const& each) {
    if constexpr (Values<T>) each.history().add_report(found);
  };
  (record(given), ...);
  return {found};
}

/// What is wrong with Derived applied to these: they are not one expression, or two if it reads a memory.
template <class Derived, class... Given>
constexpr report misapplied() {
  constexpr std::size_t count = sizeof...(Given);
  constexpr bool operation = (Operation<Given> || ...);
  std::string_view other{};
  ((other = other.empty() && !Operand<Given> && Operation<Given> == operation ? kind_of<Given> : other), ...);
  if constexpr (requires { Derived::why; }) return Derived::why;  // its own comes first
  else if (!other.empty() && count <= (Derived::reads_memory ? 2 : 1))
    return report(operation ? mistake::not_applied : mistake::not_an_expression).say({kind_of<Derived>}).given(other);
  else
    return report(Derived::reads_memory ? mistake::no_memory : mistake::not_one_argument)
        .say({kind_of<Derived>})
        .given(count == 0   ? "none"
               : count == 1 ? "one"
                            : Derived::too_many);
}
template <class Derived, class... Given>
inline constexpr report misapplied_report = misapplied<Derived, Given...>();
}  // namespace detail

/// Operations are applied like functions, `F(N(x))`, and composed with `|`. They are empty: all they know is in
/// their type, and `Derived::apply(x, where)` records them in the trace of x.
template <class Derived>
struct operation : operation_base {
  template <class Argument>
  constexpr auto operator()(Argument const& argument, std::source_location where = std::source_location::current()) const {
    if constexpr (Expression<Argument>) return Derived::apply(argument, where);
    else if constexpr (Poisoned<Argument>) return argument;
    else if constexpr (Streams<Argument> && Derived::reads_several) return Derived::apply(argument, where);
    else if constexpr (Streams<Argument>) return argument.history().poison(detail::misapplied<Derived, Argument>().at(where));
    else if constexpr (std::is_class_v<Argument> && !requires { Argument::kind; }) {  // a tensor, most likely
      said(static_cast<message_of<detail::misapplied_report<Derived, Argument>>*>(nullptr));
      return poisoned{already_reported};
    } else return poisoned{detail::misapplied<Derived, Argument>().at(where)};
  }

  // Mistaken: nothing to apply to, or too much.
  constexpr poisoned operator()(std::source_location where = std::source_location::current()) const {
    return {detail::misapplied<Derived>().at(where)};
  }
  template <class First, class Second, class... Rest>
    requires(!std::same_as<Second, std::source_location> &&
             !(Derived::reads_several && Values<First> && Values<Second> && (Values<Rest> && ...)))
  constexpr poisoned operator()(First first, Second second, Rest... rest) const {
    return detail::poison(detail::misapplied<Derived, First, Second, Rest...>(), first, second, rest...);
  }
};

/// What an operation becomes that was made with a mistake: told already, or told when the operation is applied.
template <report const& Why>
struct poisoned_operation : operation<poisoned_operation<Why>> {
  static constexpr std::string_view name = "";
  static constexpr report const& why = Why;

  template <Values Given>
  static constexpr poisoned apply(Given const& x, std::source_location where) {
    return x.history().poison(Why.at(where));
  }
};

/// a | b: first a, then b.
template <class First, class Second>
struct composed : operation<composed<First, Second>> {
  static constexpr std::string_view name = First::name;
  static constexpr bool reads_several = First::reads_several;
  using operation<composed>::operator();

  template <Values Given>
  static constexpr auto apply(Given const& x, std::source_location where) {
    return Second{}(First{}(x, where), where);
  }
  template <Values A, Values B, Values... Rest>
    requires(reads_several)
  constexpr auto operator()(A a, B b, Rest... rest) const {
    return Second{}(First{}(a, b, rest...));
  }
};
template <Operation First, Operation Second>
constexpr composed<First, Second> operator|(First, Second) {
  return {};
}
namespace detail {
/// What is wrong with First | Second, one of which is no operation.
template <class First, class Second>
constexpr report miscomposed() {
  if constexpr (Operand<First>) return report(mistake::applied_with_bar).given(kind_of<Second>);
  else if constexpr (Operation<First>) return report(mistake::not_an_operation).say({"right of |"}).given(kind_of<Second>);
  else return report(mistake::not_an_operation).say({"left of |"}).given(kind_of<First>);
}
template <class First, class Second>
inline constexpr report miscomposed_report = miscomposed<First, Second>();
}  // namespace detail

template <class First, class Second>
  requires((Operation<First> || Operation<Second>) && !(Operation<First> && Operation<Second>))
constexpr auto operator|(First first, Second second) {
  if constexpr (Operand<First> || Operand<Second>) return detail::poison(detail::miscomposed<First, Second>(), first, second);
  else {
    said(static_cast<message_of<detail::miscomposed_report<First, Second>>*>(nullptr));
    return poisoned_operation<already_reported>{};
  }
}

/// The feature axis that an operation is made for, against the one that x ends in.
template <class Axis, class Shape>
constexpr void require_feature_axis(mistake kind, std::string_view name, expression<Shape> const& x, std::source_location where,
                                    std::string_view role = "given: ") {
  if constexpr (!std::is_same_v<feature_axis<Shape>, Axis>) {
    shape_value const shape = value_of(Shape{});
    axis_value const axis = value_of(Axis{});
    x.history().add_report(report(kind, where)
                               .say({"name \"", name, "\""})
                               .say({role, shape})
                               .say({"takes: (..., ", axis, ")"})
                               .difference(shape.rank, shape.feature(), axis));
  }
}

/// What is wrong with a result that names an axis twice.
template <class Result>
constexpr report repeated_axis(std::string_view name, std::source_location where) {
  return report(mistake::axis_repeated, where).say({"name \"", name, "\""}).say({"result: ", value_of(Result{})});
}

}  // namespace residua::dsl
