#pragma once
#include <residua/dsl/digits.hpp>
#include <residua/dsl/operation.hpp>

namespace residua::dsl {

/// How a block's function gets its streams: one by one, or as one tuple.
enum class passing : unsigned char { one_by_one, together };

/// What a block of several streams reads.
template <passing How, class... Stream>
struct stream_list {
  static constexpr std::string_view kind = "several streams";
};

inline constexpr std::size_t most_streams = 16;  // of a block, its memory included

namespace detail {

/// What is wrong with streams(...) of these, which are no values of a block.
template <class... Given>
constexpr report examine_streams() {
  std::string_view other{};
  ((other = other.empty() && !is_stream<Given> ? kind_of<Given> : other), ...);
  constexpr std::int64_t count = sizeof...(Given);
  if constexpr ((is_poisoned_stream<Given> || ...)) return already_reported;
  else if (!other.empty() || count == 0)
    return report(mistake::not_a_stream).say({"in streams(...)"}).given(count == 0 ? "none" : other);
  else if (count >= std::int64_t{most_streams})
    return report(mistake::number_of_streams).say({"in streams(...)"}).say({"given: ", count, ", at most 15"});
  else return {};
}
template <class... Given>
inline constexpr report streams_report = examine_streams<Given...>();

/// What is wrong with streams<Count>(...).
template <int Count, class... Given>
constexpr report examine_equal_streams() {
  if constexpr (sizeof...(Given) != 1) return report(mistake::not_a_stream).say({"made as: streams<4>(stream(B, T, d))"});
  else if constexpr (!streams_report<Given...> && (Count < 1 || Count >= static_cast<int>(most_streams)))
    return report(mistake::number_of_streams).say({"in streams<", std::int64_t{Count}, ">(...)"}).say({"must be 1 to 15"});
  else return streams_report<Given...>;
}
template <int Count, class... Given>
inline constexpr report equal_streams_report = examine_equal_streams<Count, Given...>();

template <class Stream, std::size_t... I>
stream_list<passing::together, std::enable_if_t<(I + 1 > 0), Stream>...> repeat(std::index_sequence<I...>);

template <class... Given>
concept ValuesAmong = (Operand<Given> || ...) || (Streams<Given> || ...);
}  // namespace detail

/// streams(stream(B, T, d), stream<"r">(B, T, d)): what a block of several streams reads; its function takes one argument each.
template <class... Given>
  requires(!detail::ValuesAmong<Given...>)
constexpr auto streams(Given...) {
  said(static_cast<message_of<detail::streams_report<Given...>>*>(nullptr));
  if constexpr (detail::streams_report<Given...>) return stream_shape<void>{};
  else return stream_list<passing::one_by_one, Given...>{};
}
/// streams<4>(stream(B, T, d)): four of one shape; the function takes them as one argument h, with h[0] to h[3].
template <int Count, class... Given>
constexpr auto streams(Given...) {
  said(static_cast<message_of<detail::equal_streams_report<Count, Given...>>*>(nullptr));
  if constexpr (detail::equal_streams_report<Count, Given...>) return stream_shape<void>{};
  else return decltype(detail::repeat<Given...>(std::make_index_sequence<Count>{})){};
}
/// streams(x, r): the values that a function of several streams returns.
template <class First, class... Rest>
  requires(Expression<First> && (Expression<Rest> && ...))
constexpr auto streams(First first, Rest... rest) {
  std::source_location where = first.where();
  ((where = later(where, rest.where())), ...);
  return stream_values<typename First::shape, typename Rest::shape...>{first.history(), {first.at(), rest.at()...}, where};
}
template <class... Given>
  requires detail::ValuesAmong<Given...>
constexpr poisoned streams(Given... given) {  // mistaken: not values all of them
  std::string_view other{};
  bool operation = false;
  ((other = other.empty() && !Operand<Given> ? (operation = Operation<Given>, kind_of<Given>) : other), ...);
  return detail::poison(
      report(operation ? mistake::not_applied : mistake::not_an_expression).say({"in streams(...)"}).given(other), given...);
}

namespace detail {
template <passing How, class Memory, class... Shape>
struct arguments_of {
  using type = std::conditional_t<How == passing::together, types<stream_values<Shape...>, expression<Memory>>,
                                  types<expression<Shape>..., expression<Memory>>>;
};
template <passing How, class... Shape>
struct arguments_of<How, void, Shape...> {
  using type = std::conditional_t<How == passing::together, types<stream_values<Shape...>>, types<expression<Shape>...>>;
};
}  // namespace detail

/// What a block reads: its streams, and a memory, or void.
template <passing How, class Memory, class... Stream>
struct reading {
  static constexpr passing how = How;
  static constexpr std::size_t streams = sizeof...(Stream);
  static constexpr bool has_memory = !std::is_void_v<Memory>;
  static constexpr std::size_t inputs = streams + (has_memory ? 1 : 0);

  using shapes = types<shape_in<Stream>...>;
  using memory = shape_in<Memory>;
  using arguments = typename detail::arguments_of<How, memory, shape_in<Stream>...>::type;  // of the function
  using first_shape = shape_in<typename detail::nth<0, Stream...>::type>;
  static constexpr std::array<shape_value, inputs> all() {
    if constexpr (has_memory) return {shape_of<shape_in<Stream>>..., shape_of<memory>};
    else return {shape_of<shape_in<Stream>>...};
  }
  /// What each is called: its name where it has one, otherwise x, x1, x2, ... and memory.
  static constexpr std::array<std::string_view, inputs> names() { return named(std::make_index_sequence<streams>{}); }
  /// Whose tokens each has: those of the first stream before it with the same leading axes. A memory has its own.
  static constexpr std::array<int, inputs> token_spaces() {
    std::array<int, inputs> list{};
    constexpr auto shapes = all();
    int next = 0;
    for (std::size_t k = 0; k < inputs; ++k) {
      std::size_t same = 0;
      while (same < k && (k >= streams || !same_tokens(shapes[same], shapes[k]))) ++same;
      list[k] = same < k ? list[same] : next++;
    }
    return list;
  }

 private:
  template <class S, std::size_t I>
  static constexpr std::string_view name_in() {
    return []<class Shape, text Name>(stream_shape<Shape, Name>) {
      if constexpr (!name_of<Name>.empty()) return name_of<Name>;
      else if constexpr (I == 0) return std::string_view("x");
      else return name_of<joined<"x", digits<I>>>;
    }(S{});
  }
  template <std::size_t... I>
  static constexpr std::array<std::string_view, inputs> named(std::index_sequence<I...>) {
    if constexpr (has_memory) {
      return {name_in<Stream, I>()..., []<class Shape, text Name>(stream_shape<Shape, Name>) {
                return name_of<Name>.empty() ? std::string_view("memory") : name_of<Name>;
              }(Memory{})};
    } else return {name_in<Stream, I>()...};
  }
};

namespace detail {
/// What is wrong with a function that cannot be called with what its block reads.
template <class Reading>
constexpr report not_a_function_of() {
  if constexpr (Reading::streams == 1 && Reading::how == passing::one_by_one)
    return report(Reading::has_memory ? mistake::not_a_function_of_two : mistake::not_a_function);
  else {
    report found(mistake::not_a_function_of_streams);
    if constexpr (Reading::how == passing::together)
      found.say({"as one argument: [](auto s", Reading::has_memory ? ", auto memory" : "", ")"});
    else found.say({"arguments: ", static_cast<std::int64_t>(Reading::inputs)});
    return found;
  }
}
}  // namespace detail

}  // namespace residua::dsl
