#pragma once
#include <boost/hana/bool.hpp>
#include <residua/dsl/report/report.hpp>

namespace residua::dsl {

namespace detail {
template <text Name, std::int64_t Extent>
constexpr report examine_axis() {
  constexpr std::string_view name = name_of<Name>;
  if (!is_identifier(name)) return report(mistake::not_an_identifier).named("axis", name);
  if (Extent < 1 && Extent != run_time)
    return report(mistake::extent_not_positive).say({"in axis \"", name, "\""}).say({"extent ", Extent, ", must be 1 or more"});
  return {};
}
template <text Name, std::int64_t Extent>
inline constexpr report axis_report = examine_axis<Name, Extent>();
}  // namespace detail

/// A named axis: `axis<"T">` has an extent chosen at run time, `axis<"d", 768>` a fixed one.
/// Two axes are the same when name and extent agree; nothing broadcasts.
template <text Name, std::int64_t Extent = run_time>
struct axis {
  static constexpr std::string_view kind = "the axis";
  static constexpr std::string_view name = name_of<Name>;
  static constexpr std::int64_t extent = Extent;
  static constexpr report const& why = detail::axis_report<Name, Extent>;

  constexpr axis() { said(static_cast<message_of<detail::axis_report<Name, Extent>>*>(nullptr)); }
};

/// The feature axis of what has one number for each token: of mean(x) and inner(a, b), and to be made by linear<"w">(d, one).
inline constexpr axis<"one", 1> one;

template <text N, std::int64_t E, text M, std::int64_t D>
constexpr auto operator==(axis<N, E>, axis<M, D>) {
  return boost::hana::bool_c<(E == D && name_of<N> == name_of<M>)>;
}
template <text N, std::int64_t E, text M, std::int64_t D>
constexpr auto operator!=(axis<N, E>, axis<M, D>) {
  return boost::hana::bool_c<!(E == D && name_of<N> == name_of<M>)>;
}

template <class T>
inline constexpr bool is_axis = false;
template <text Name, std::int64_t Extent>
inline constexpr bool is_axis<axis<Name, Extent>> = true;

template <text Name, std::int64_t Extent>
constexpr axis_value value_of(axis<Name, Extent>) {
  return {name_of<Name>, Extent};
}

}  // namespace residua::dsl
