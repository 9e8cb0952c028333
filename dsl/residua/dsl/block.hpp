#pragma once
#include <residua/dsl/activation.hpp>
#include <residua/dsl/linear.hpp>
#include <residua/dsl/norm.hpp>
#include <residua/dsl/residual.hpp>

namespace residua::dsl {

struct block_base {};

/// A block, a map or a stack: a traced function of one stream, with its graph.
template <class T>
concept Block = std::derived_from<std::remove_cvref_t<T>, block_base>;

namespace detail {

template <class Body, class Shape>
using result_of = std::decay_t<decltype(Body{}(std::declval<expression<Shape> const&>()))>;

/// The feature axis of a stack's or block's result must be its stream's; a map may give anything.
enum class result_rule { same_shape, any_shape };

/// Runs a block's function once on a fresh trace. Text, sizes and graph of one block all come from here.
template <class Body, class Shape, result_rule Rule>
struct tracing {
  trace history;
  failure found;
  int output = 0;

  constexpr tracing() {
    int const input = history.add({.operation = op::input, .shape = value_of(Shape{})});
    auto const result = Body{}(expression<Shape>{history, input, {}});
    using Result = std::remove_cvref_t<decltype(result)>;
    if constexpr (Expression<Result>) {
      output = result.at();
      found = history.first_failure();
      if constexpr (Rule == result_rule::same_shape)
        if (found.kind == mistake::none && !(value_of(typename Result::shape{}) == value_of(Shape{})))
          found = {.kind = mistake::result_is_not_the_stream,
                   .left = value_of(Shape{}),
                   .right = value_of(typename Result::shape{}),
                   .where = result.where()};
    } else if constexpr (Rejected<Result>) {
      found = history.first_failure().kind == mistake::none ? result.why : history.first_failure();
    } else {
      found = history.first_failure();
      if (found.kind == mistake::none)
        found = {.kind = mistake::result_is_not_the_stream, .given = kind_of<Result>, .left = value_of(Shape{})};
    }
  }
};

template <class Body, class Shape, result_rule Rule>
inline constexpr failure failure_of = tracing<Body, Shape, Rule>{}.found;

/// The graph of a block that has no mistake, in static storage.
template <class Body, class Shape, result_rule Rule>
inline constexpr auto graph_of = [] {
  constexpr auto sizes = [] {
    tracing<Body, Shape, Rule> const traced;
    return std::array{traced.history.nodes().size(), traced.history.scopes().size(), traced.history.calls().size()};
  }();
  tracing<Body, Shape, Rule> const traced;
  graph<sizes[0], sizes[1], sizes[2]> frozen;
  for (std::size_t i = 0; i < sizes[0]; ++i) frozen.nodes[i] = traced.history.nodes()[i];
  for (std::size_t i = 0; i < sizes[1]; ++i) frozen.scopes[i] = traced.history.scopes()[i];
  for (std::size_t i = 0; i < sizes[2]; ++i) frozen.calls[i] = traced.history.calls()[i];
  frozen.output = traced.output;
  return frozen;
}();

/// The message of a failed block: its phrases as template arguments, so that every compiler prints them.
template <text Name, class Body, class Shape, result_rule Rule>
struct failure_message {
  static constexpr failure found = failure_of<Body, Shape, Rule>;
  static constexpr phrases details = describe(found, name_of<Name>);

  template <std::size_t I>
  static constexpr auto phrase = exactly<details.list[I].size>({details.list[I].data.data(), details.list[I].size});

  template <std::size_t... I>
  static mistake_message<found.kind, phrase<I>...> make(std::index_sequence<I...>);
  using type = decltype(make(std::make_index_sequence<details.count>{}));
};

}  // namespace detail

/// What block, map and stack make. Applied to a stream inside another block it stands for its own expression, with
/// the parameters under the same names.
template <text Name, class Shape, class Body, detail::result_rule Rule>
struct block_operation : operation<block_operation<Name, Shape, Body, Rule>>, block_base {
  static constexpr std::string_view name = name_of<Name>;
  using stream_type = Shape;

  static constexpr graph_view view() { return detail::graph_of<Body, Shape, Rule>.view(name); }

  template <class Given>
  static constexpr auto apply(expression<Given> const& x, std::source_location where) {
    trace& history = x.history();
    if constexpr (!same_shape<Given, Shape>) {
      history.fail(
          {.kind = mistake::wrong_axis, .subject = name, .left = value_of(Given{}), .right = value_of(Shape{}), .where = where});
      return detail::result_of<Body, Shape>{history, x.at(), where};
    } else {
      auto const result = Body{}(expression<Shape>{history, x.at(), where});
      return detail::result_of<Body, Shape>{history, result.at(), where};
    }
  }
};

/// What a block becomes that has a mistake. It is silent from here on: it answers every question with what is asked.
template <text Name>
struct broken_block : operation<broken_block<Name>>, block_base {
  static constexpr std::string_view name = name_of<Name>;
  static constexpr graph_view view() { return {.name = name}; }

  template <class Shape>
  static constexpr rejected apply(expression<Shape> const&, std::source_location) {
    return {{.kind = mistake::reported}};
  }
};

namespace detail {
/// What a traced function becomes, and what there is to say about it.
template <text Name, result_rule Rule, class Shape, class Body>
struct traced_verdict {
  static constexpr mistake kind = failure_of<Body, Shape, Rule>.kind;
  using block = std::conditional_t<kind == mistake::none, block_operation<Name, Shape, Body, Rule>, broken_block<Name>>;
  using message = typename std::conditional_t<kind == mistake::none || kind == mistake::reported, std::type_identity<no_message>,
                                              failure_message<Name, Body, Shape, Rule>>::type;
};

template <text Name, class Message>
struct broken_verdict {
  using block = broken_block<Name>;
  using message = Message;
};

/// The same for any arguments of block and map: what is no stream or cannot be traced is not traced.
template <text Name, result_rule Rule, class Stream, class Body>
struct verdict : broken_verdict<Name, mistake_message<mistake::not_a_stream, joined<"block \"", Name, "\"">,
                                                      joined<"given: ", text_of<kind_of<Stream>>>>> {};
template <text Name, result_rule Rule, class Body>
struct verdict<Name, Rule, stream_shape<void>, Body> : broken_verdict<Name, no_message> {};
template <text Name, result_rule Rule, class Shape, class Body>
  requires(is_identifier(name_of<Name>) && std::is_empty_v<Body> && std::is_default_constructible_v<Body>)
struct verdict<Name, Rule, stream_shape<Shape>, Body> : traced_verdict<Name, Rule, Shape, Body> {};
template <text Name, result_rule Rule, class Shape, class Body>
struct verdict<Name, Rule, stream_shape<Shape>, Body>
    : broken_verdict<Name,
                     first_message_of<name_message<Name>, mistake_message<mistake::captures, joined<"block \"", Name, "\"">>>> {};
}  // namespace detail

/// block<"pre_norm">(stream(B, T, d), [](auto x) { return x + F(N(x)); }): reads a stream and gives the same stream back.
template <text Name, class Stream, class Body>
constexpr auto block(Stream, Body) {
  using Verdict = detail::verdict<Name, detail::result_rule::same_shape, Stream, Body>;
  said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

/// map<"head">(stream(B, T, d), ...): like a block, but its result may have another shape.
template <text Name, class Stream, class Body>
constexpr auto map(Stream, Body) {
  using Verdict = detail::verdict<Name, detail::result_rule::any_shape, Stream, Body>;
  said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

}  // namespace residua::dsl
