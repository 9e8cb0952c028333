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

/// What a block reads and gives back: one or more leading axes and the feature axis last.
template <class Shape>
struct stream_shape {
  static constexpr std::string_view kind = "a stream";
};
template <class T>
inline constexpr bool is_stream = false;
template <class Shape>
inline constexpr bool is_stream<stream_shape<Shape>> = true;

namespace detail {
/// The first name that stands twice, or nothing.
template <class... Axes>
constexpr std::string_view find_repeated_name() {
  if constexpr ((is_axis<Axes> && ...)) {
    std::array<std::string_view, sizeof...(Axes)> const names{Axes::name...};
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (names[i] == names[j]) return names[i];
  }
  return std::string_view{};
}
template <class... Axes>
inline constexpr std::string_view repeated_name = find_repeated_name<Axes...>();
}  // namespace detail

/// `stream(B, T, d)`: the shape (B, T, d), rank 2 to 4.
template <class... Axes>
constexpr auto stream(Axes...) {
  using Message =
      first_message_of<message_if<!is_axis<Axes>, mistake::not_an_axis, "in stream(...)", given_phrase<Axes>>...,
                       message_if<(sizeof...(Axes) < 2 || sizeof...(Axes) > most_axes), mistake::rank_not_supported,
                                  "in stream(...)", joined<"axes given: ", digits<static_cast<std::int64_t>(sizeof...(Axes))>>>,
                       message_if<!detail::repeated_name<Axes...>.empty(), mistake::axis_repeated, "in stream(...)",
                                  joined<"axis \"", text_of<detail::repeated_name<Axes...>>, "\"">>>;
  said(static_cast<Message*>(nullptr));
  if constexpr (std::is_same_v<Message, no_message>) return stream_shape<hana::tuple<Axes...>>{};
  else return stream_shape<void>{};
}

}  // namespace residua::dsl
