#pragma once
#include <boost/hana/append.hpp>
#include <boost/hana/back.hpp>
#include <boost/hana/drop_back.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>
#include <cstddef>
#include <residua/dsl/axis.hpp>

namespace residua::dsl {

namespace hana = boost::hana;

/// Shapes are Hana tuples of axes; the value says the same to code that is no template.
template <class... Axes>
constexpr shape_value value_of(hana::tuple<Axes...>) {
  return {{value_of(Axes{})...}, sizeof...(Axes)};
}

template <class Shape>
using feature_axis = std::decay_t<decltype(hana::back(std::declval<Shape>()))>;

/// The shape with another feature axis: what `linear` makes of it.
template <class Shape, class Axis>
using with_feature_axis = std::decay_t<decltype(hana::append(hana::drop_back(std::declval<Shape>()), std::declval<Axis>()))>;

template <class A, class B>
inline constexpr bool same_shape = decltype(hana::equal(std::declval<A>(), std::declval<B>()))::value;

constexpr bool has_axis(shape_value const& shape, axis_value const& axis) {
  for (std::size_t i = 0; i < shape.rank; ++i)
    if (shape.axes[i] == axis) return true;
  return false;
}

/// What a block reads and gives back: one or more leading axes and the feature axis last.
/// A block of several may name them.
template <class Shape, text Name = "">
struct stream_shape {
  static constexpr std::string_view kind = "a stream";
};
template <class T>
inline constexpr bool is_stream = false;
template <class Shape, text Name>
inline constexpr bool is_stream<stream_shape<Shape, Name>> = true;
template <class T>
inline constexpr bool is_poisoned_stream = std::is_same_v<T, stream_shape<void>>;  // its message is out

namespace detail {
template <class T>
struct shape_within {
  using type = void;
};
template <class Shape, text Name>
struct shape_within<stream_shape<Shape, Name>> {
  using type = Shape;
};
}  // namespace detail

/// The shape of a stream as a type; void where there is none.
template <class Stream>
using shape_in = typename detail::shape_within<Stream>::type;

/// A shape as a value; of no axis where there is none.
template <class Shape>
inline constexpr shape_value shape_of{};
template <class... Axes>
inline constexpr shape_value shape_of<hana::tuple<Axes...>> = value_of(hana::tuple<Axes...>{});

/// A list of types, to hand it to a function.
template <class... T>
struct types {};

namespace detail {
template <class... Axes>
constexpr report examine_stream() {
  if constexpr (!(is_axis<Axes> && ...)) {
    std::string_view other{};
    ((other = other.empty() && !is_axis<Axes> ? kind_of<Axes> : other), ...);
    return report(mistake::not_an_axis).say({"in stream(...)"}).given(other);
  } else if constexpr (sizeof...(Axes) < 2 || sizeof...(Axes) > most_axes) {
    constexpr std::int64_t count = sizeof...(Axes);
    return report(mistake::rank_not_supported).say({"in stream(...)"}).say({"axes given: ", count});
  } else {
    std::string_view const names[] = {Axes::name...};
    for (std::size_t i = 0; i < sizeof...(Axes); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (names[i] == names[j]) return report(mistake::axis_repeated).say({"in stream(...)"}).say({"axis \"", names[i], "\""});
    return {};
  }
}
template <class... Axes>
inline constexpr report stream_report = examine_stream<Axes...>();
template <text Name, class... Axes>
inline constexpr report named_stream_report =
    is_identifier(name_of<Name>) ? examine_stream<Axes...>() : report(mistake::not_an_identifier).named("stream", name_of<Name>);
}  // namespace detail

/// `stream(B, T, d)`: the shape (B, T, d), rank 2 to 4; `stream<"r">(B, T, d)`: one with a name.
template <class... Axes>
constexpr auto stream(Axes...) {
  said(static_cast<message_of<detail::stream_report<Axes...>>*>(nullptr));
  if constexpr (detail::stream_report<Axes...>) return stream_shape<void>{};
  else return stream_shape<hana::tuple<Axes...>>{};
}
template <text Name, class... Axes>
constexpr auto stream(Axes...) {
  said(static_cast<message_of<detail::named_stream_report<Name, Axes...>>*>(nullptr));
  if constexpr (detail::named_stream_report<Name, Axes...>) return stream_shape<void>{};
  else return stream_shape<hana::tuple<Axes...>, Name>{};
}

}  // namespace residua::dsl
