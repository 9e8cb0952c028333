#pragma once
#include <residua/dsl/options.hpp>

namespace residua::dsl {

/// What stands in the angle brackets of `linear<"up">(d, h)`: one name, if all is well.
template <text... Name>
struct names {};

/// What is wrong with the name of an operation, which may be a path.
constexpr report examine_path(std::string_view name) {
  return is_path(name) ? report() : report(mistake::not_an_identifier).named("name", name);
}

/// What is wrong with the name of a learned scalar, which a Jacobian shows bare.
constexpr report examine_scalar_name(std::string_view name) {
  if (reads_as_factor(name)) return report(mistake::reads_as_factor).named("name", name);
  return examine_path(name);
}

namespace detail {

template <class... Given>
constexpr std::size_t leading_axes() {
  std::size_t count = 0;
  (void)((is_axis<Given> && ++count != 0) && ...);
  return count;
}
template <class Given>
inline constexpr bool is_poisoned_axis = false;
template <text Name, std::int64_t Extent>
inline constexpr bool is_poisoned_axis<axis<Name, Extent>> = static_cast<bool>(axis<Name, Extent>::why);

/// The report of the first axis with a mistake.
template <class First, class... Rest>
constexpr report examine_axes() {
  if constexpr (is_poisoned_axis<First>) return First::why;
  else return examine_axes<Rest...>();
}

/// What stands after the axes.
template <std::size_t Axes, class Spec, class... Options>
struct after {
  static constexpr report examine(std::string_view name) {
    return examine_options<typename Spec::options, Options...>({"in ", Spec::word, "<\"", name, "\">(...)"}, Spec::known);
  }
};
template <std::size_t Axes, class Spec, class First, class... Rest>
  requires(Axes > 0)
struct after<Axes, Spec, First, Rest...> : after<Axes - 1, Spec, Rest...> {};

/// What is wrong with an operation that is made of this name, and given these.
template <class Spec, text... Name, class... Given>
constexpr report examine_made(names<Name...>, types<Given...>) {
  std::string_view name{};
  ((name = name.empty() ? name_of<Name> : name), ...);
  constexpr std::size_t axes = leading_axes<Given...>();
  if constexpr ((Operand<Given> || ...)) return report(mistake::made_of_expression).say({"made as: ", Spec::example});
  else if constexpr (sizeof...(Name) == 0) return report(mistake::no_name).say({"made as: ", Spec::example});
  else if constexpr (axes < Spec::axes) {
    report found(axes == sizeof...(Given) ? mistake::missing_axis : mistake::not_an_axis);
    found.say({"made as: ", Spec::word, "<\"", name, "\">", Spec::arguments});
    std::string_view const kinds[] = {kind_of<Given>..., ""};
    return axes == sizeof...(Given) ? found : found.given(kinds[axes]);
  } else if constexpr ((is_poisoned_axis<Given> || ...)) return examine_axes<Given...>();
  else if (!is_path(name)) return examine_path(name);
  else if constexpr (requires { Spec::template examine<Given...>(name); }) return Spec::template examine<Given...>(name);
  else return after<Spec::axes, Spec, Given...>::examine(name);
}
template <class Spec, class Names, class... Given>
inline constexpr report made_report = examine_made<Spec>(Names{}, types<Given...>{});

}  // namespace detail

/// The operation that Spec makes of a name, axes and options, or what stands in for it, and its message.
///
/// A spec has `word`, `arguments` and `example` for messages, the number of `axes`, and `make<Name>(axes..., options...)`.
/// Its options are `options`, listed as `known`, or what its own `examine<Axis, Options...>(name)` says about them.
template <class Spec, class Names, class... Given>
struct made {
  static constexpr report const& found = detail::made_report<Spec, Names, Given...>;
  // In a block's function g++ looks at `epsilon<1e-6>` only while it compiles the block, so what stands beside it waits;
  // but not an axis, which has told its own mistake.
  static constexpr bool beside_a_number = has_option<numbered_option, Given...> && !(detail::is_poisoned_axis<Given> || ...);
  using told = telling<detail::made_report<Spec, Names, Given...>, found && ((Operand<Given> || ...) || beside_a_number)>;
  using message = typename told::type;

  static constexpr auto from(Given const&... given) {
    if constexpr ((Operand<Given> || ...)) return detail::poison(found, given...);
    else if constexpr (found) return poisoned_operation<told::remaining>{};
    else return Spec::make(Names{}, given...);
  }
};

}  // namespace residua::dsl
