#pragma once
#include <boost/hana/bool.hpp>
#include <residua/dsl/digits.hpp>
#include <residua/dsl/report/mistake.hpp>

namespace residua::dsl {

/// A name that cannot be a C++ member is a mistake; What says whose name it is.
template <text Name, text What>
using name_message = message_if<!is_identifier(name_of<Name>), mistake::not_an_identifier, joined<What, " \"", Name, "\"">>;

/// The same of an operation, whose name may be a path.
template <text Name>
using path_message = message_if<!is_path(name_of<Name>), mistake::not_an_identifier, joined<"name \"", Name, "\"">>;

/// A named axis: `axis<"T">` has an extent chosen at run time, `axis<"d", 768>` a fixed one.
/// Two axes are the same when name and extent agree; nothing broadcasts.
template <text Name, std::int64_t Extent = run_time>
struct axis {
  static constexpr std::string_view kind = "the axis";
  static constexpr std::string_view name = name_of<Name>;
  static constexpr std::int64_t extent = Extent;

  using message =
      first_message_of<name_message<Name, "axis">,
                       message_if<(Extent < 1 && Extent != run_time), mistake::extent_not_positive,
                                  joined<"in axis \"", Name, "\"">, joined<"extent ", digits<Extent>, ", must be 1 or more">>>;
  constexpr axis() { said(static_cast<message*>(nullptr)); }
};

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
