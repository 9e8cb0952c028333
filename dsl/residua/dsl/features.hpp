#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

namespace detail {
/// What is wrong with the features from `first` on as an axis of their own.
constexpr report examine_part(shape_value const& whole, std::int64_t first, axis_value const& part) {
  phrase_parts const in{"in part<", first, ">(x, ", part.name, ")"};
  report const unknown = report(mistake::width_not_known).say(in);
  if (whole.feature().extent == run_time) return report(unknown).say({"given: ", whole});
  if (part.extent == run_time) return report(unknown).say({"axis: ", part});
  if (first < 0 || first > whole.feature().extent - part.extent)
    return report(mistake::part_beyond_the_features).say(in).say({"given: ", whole}).say({"axis: ", part});
  return {};
}

/// What is wrong with these features side by side as one axis.
template <std::size_t Count>
constexpr report examine_concat(std::array<shape_value, Count> const& shapes, axis_value const& whole) {
  phrase_parts const in{"in concat(a, b, ", whole.name, ")"};
  std::int64_t sum = 0;
  for (shape_value const& each : shapes) {
    shape_value moved = each;
    moved.axes[each.rank - 1] = shapes[0].feature();
    if (!(moved == shapes[0]))
      return report(mistake::concat_of_other_tokens).say(in).compare({"first"}, shapes[0], {"another"}, each);
    if (each.feature().extent == run_time) return report(mistake::width_not_known).say(in).say({"given: ", each});
    sum += each.feature().extent;
  }
  if (whole.extent == run_time) return report(mistake::width_not_known).say(in).say({"axis: ", whole});
  if (sum != whole.extent)
    return report(mistake::extents_do_not_add_up).say(in).say({"given in all: ", sum}).say({"axis: ", whole});
  return {};
}

template <class First, class... Rest>
struct last_of : last_of<Rest...> {};
template <class Last>
struct last_of<Last> {
  using type = Last;
};

/// What is wrong with what `part` or `concat` was given, which is no expression or expressions and an axis.
template <class... Given>
constexpr report misjoined(phrase_part in, std::string_view wanting) {
  std::string_view operation{}, other{};
  auto look = [&](bool is_operation, bool fits, std::string_view kind) {
    if (is_operation && operation.empty()) operation = kind;
    if (!fits && other.empty()) other = kind;
  };
  (look(Operation<Given>, Operand<Given> || is_axis<Given>, kind_of<Given>), ...);
  if (!operation.empty()) return report(mistake::not_applied).say({in}).given(operation);
  if (!other.empty()) return report(mistake::not_an_expression).say({in}).given(other);
  if ((is_axis<Given> || ...)) return report(mistake::not_an_expression).say({in}).given("too few expressions");
  return report(mistake::not_an_axis).say({in}).given(wanting);
}

/// The features of some expressions side by side over the axis behind them, up to three to a node.
template <class First, class... Rest>
constexpr auto joined_features(expression<First> const& first, Rest const&... rest) {
  constexpr std::size_t count = sizeof...(Rest);
  using Axis = typename last_of<Rest...>::type;
  using Whole = with_feature_axis<First, Axis>;
  trace& history = first.history();
  std::source_location where = first.where();
  std::array<shape_value, count> shapes{value_of(First{})};
  std::array<int, count> nodes{first.at()};
  std::size_t found = 1;
  auto look = [&]<class T>(T const& each) {
    if constexpr (Expression<T>) {
      where = later(where, each.where());
      shapes[found] = value_of(typename T::shape{});
      nodes[found++] = each.at();
    }
  };
  (look(rest), ...);
  int made = nodes[0];
  if (report const wrong = examine_concat(shapes, value_of(Axis{}))) {
    history.add_report(wrong.at(where));
    return expression<Whole>{history, made, where};
  }
  if constexpr (names_repeat(value_of(Whole{}))) history.add_report(repeated_axis<Whole>("concat", where));
  shape_value shape = value_of(Whole{});
  std::int64_t& extent = shape.axes[shape.rank - 1].extent = shapes[0].feature().extent;
  for (std::size_t next = 1; next < count; next += 2) {
    node joined{.operation = op::concat, .operands = {made, nodes[next], -1}};
    extent += shapes[next].feature().extent;
    if (next + 1 < count) {
      joined.operands[2] = nodes[next + 1];
      extent += shapes[next + 1].feature().extent;
    }
    joined.shape = shape;
    made = history.add(joined);
  }
  return expression<Whole>{history, made, where};
}

/// Whether these are two expressions or more and an axis behind them.
template <class Last, class... Before>
constexpr bool are_joined(types<Before...>, types<Last>) {
  return sizeof...(Before) >= 2 && (Expression<Before> && ...) && is_axis<Last>;
}
template <class... Before, class Next, class... Rest>
  requires(sizeof...(Rest) > 0)
constexpr bool are_joined(types<Before...>, types<Next, Rest...>) {
  return are_joined(types<Before..., Next>{}, types<Rest...>{});
}
}  // namespace detail

/// part<16>(x, h): the features of x from the 17th on, as many as the axis h has; part(x, h): the first ones.
/// (..., d) -> (..., h)
template <std::int64_t First = 0, class Shape, class Axis>
  requires(is_axis<Axis>)
constexpr auto part(expression<Shape> const& x, Axis, std::source_location where = std::source_location::current()) {
  using Part = with_feature_axis<Shape, Axis>;
  trace& history = x.history();
  if (report const wrong = detail::examine_part(value_of(Shape{}), First, value_of(Axis{}))) {
    history.add_report(wrong.at(where));
    return expression<Part>{history, x.at(), where};
  }
  if constexpr (names_repeat(value_of(Part{}))) history.add_report(repeated_axis<Part>("part", where));
  return expression<Part>{
      history,
      history.add({.operation = op::columns, .operands = {x.at(), -1, -1}, .shape = value_of(Part{}), .first_feature = First}),
      where};
}

/// concat(a, b, both): the features of two expressions or more side by side, as one axis that is as long as all together.
/// (..., a), (..., b) -> (..., both)
template <class... Given>
constexpr auto concat(Given... given) {
  if constexpr (!detail::are_joined(types<>{}, types<Given...>{}))
    return detail::poison(detail::misjoined<Given...>("in concat(a, b, both)", "no axis behind two or more"), given...);
  else return detail::joined_features(given...);
}

// Mistaken: no expression, or no axis behind it.
template <std::int64_t First = 0, class... Given>
constexpr poisoned part(Given... given) {
  return detail::poison(detail::misjoined<Given...>("in part<16>(x, h)", "an expression alone"), given...);
}

}  // namespace residua::dsl
