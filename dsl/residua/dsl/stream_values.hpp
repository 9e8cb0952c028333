#pragma once
#include <array>
#include <residua/dsl/expression.hpp>
#include <utility>

namespace residua::dsl {

namespace detail {
template <std::size_t I, class First, class... Rest>
struct nth {
  using type = typename nth<I - 1, Rest...>::type;
};
template <class First, class... Rest>
struct nth<0, First, Rest...> {
  using type = First;
};
}  // namespace detail

/// Several values inside a block, each of its own shape: what a function of several streams returns, what is taken apart by
/// `auto [x, r] = ...`, and what is given to an operation that reads as many.
template <class... Shape>
class stream_values {
 public:
  static constexpr std::string_view kind = "several streams";
  static constexpr std::size_t count = sizeof...(Shape);

  constexpr stream_values(trace& history, std::array<int, count> const& nodes, std::source_location where)
      : trace_(&history), nodes_(nodes), where_(where) {}
  constexpr stream_values(stream_values const& other, std::source_location where = std::source_location::current())
      : trace_(other.trace_), nodes_(other.nodes_), where_(where) {}
  constexpr stream_values& operator=(stream_values const&) = default;

  constexpr trace& history() const { return *trace_; }
  constexpr std::array<int, count> nodes() const { return nodes_; }
  constexpr std::source_location where() const { return where_; }

 private:
  trace* trace_;
  std::array<int, count> nodes_;
  std::source_location where_;
};

/// Those of one shape are numbered: h[i], which can be assigned, h.size(), and `for (auto& each : h)`.
template <class Shape, class... Same>
  requires(std::is_same_v<Shape, Same> && ...)
class stream_values<Shape, Same...> {
 public:
  static constexpr std::string_view kind = "several streams";
  static constexpr std::size_t count = 1 + sizeof...(Same);

  constexpr stream_values(trace& history, std::array<int, count> const& nodes, std::source_location where)
      : stream_values(history, nodes, where, std::make_index_sequence<count>{}) {}
  constexpr stream_values(stream_values const& other, std::source_location where = std::source_location::current())
      : stream_values(other.history(), other.nodes(), where) {}
  constexpr stream_values& operator=(stream_values const&) = default;

  constexpr expression<Shape>& operator[](std::size_t i) { return values_[i]; }
  constexpr expression<Shape> const& operator[](std::size_t i) const { return values_[i]; }
  static constexpr std::size_t size() { return count; }
  constexpr expression<Shape>* begin() { return values_; }
  constexpr expression<Shape>* end() { return values_ + count; }
  constexpr expression<Shape> const* begin() const { return values_; }
  constexpr expression<Shape> const* end() const { return values_ + count; }

  constexpr trace& history() const { return values_[0].history(); }
  constexpr std::array<int, count> nodes() const {
    std::array<int, count> list{};
    for (std::size_t i = 0; i < count; ++i) list[i] = values_[i].at();
    return list;
  }
  constexpr std::source_location where() const { return where_; }

 private:
  template <std::size_t... I>
  constexpr stream_values(trace& history, std::array<int, count> const& nodes, std::source_location where,
                          std::index_sequence<I...>)
      : values_{expression<Shape>{history, nodes[I], where}...}, where_(where) {}

  expression<Shape> values_[count];
  std::source_location where_;
};

/// Element I. Made where it is taken, so it knows its place.
template <std::size_t I, class... Shape>
constexpr auto get(stream_values<Shape...> const& of, std::source_location where = std::source_location::current()) {
  return expression<typename detail::nth<I, Shape...>::type>{of.history(), of.nodes()[I], where};
}

template <class T>
inline constexpr bool is_stream_values = false;
template <class... Shape>
inline constexpr bool is_stream_values<stream_values<Shape...>> = true;
template <class T>
concept Streams = is_stream_values<std::remove_cvref_t<T>>;

/// An expression, or several.
template <class T>
concept Values = Expression<T> || Streams<T>;

namespace detail {
template <class Shape>
constexpr std::array<int, 1> nodes_of(expression<Shape> const& x) {
  return {x.at()};
}
template <class... Shape>
constexpr std::array<int, sizeof...(Shape)> nodes_of(stream_values<Shape...> const& x) {
  return x.nodes();
}

/// The shapes of values, as types.
template <class Value>
struct shapes_of;
template <class Shape>
struct shapes_of<expression<Shape>> {
  using type = types<Shape>;
};
template <class... Shape>
struct shapes_of<stream_values<Shape...>> {
  using type = types<Shape...>;
};
}  // namespace detail

}  // namespace residua::dsl

template <class... Shape>
struct std::tuple_size<residua::dsl::stream_values<Shape...>> : std::integral_constant<std::size_t, sizeof...(Shape)> {};
template <std::size_t I, class... Shape>
struct std::tuple_element<I, residua::dsl::stream_values<Shape...>> {
  using type = residua::dsl::expression<typename residua::dsl::detail::nth<I, Shape...>::type>;
};
