#pragma once
#include <residua/dsl/streams.hpp>

namespace residua::dsl::detail {

template <class Body, class Shape>
using result_of = std::remove_cvref_t<decltype(Body{}(std::declval<expression<Shape>>()))>;

/// Calls a branch's function, or applies its operation, which then knows the place in the user's code.
template <class Body, class Shape>
constexpr decltype(auto) call(expression<Shape>&& x, std::source_location where) {
  if constexpr (Operation<Body>) return Body{}(x, where);
  else return Body{}(static_cast<expression<Shape>&&>(x));
}

/// A value from its nodes.
template <class Value>
struct made_value;
template <class Shape>
struct made_value<expression<Shape>> {
  static constexpr std::size_t nodes = 1;
  static constexpr expression<Shape> from(trace& history, int const* at, std::source_location where) {
    return {history, *at, where};
  }
};
template <class... Shape>
struct made_value<stream_values<Shape...>> {
  static constexpr std::size_t nodes = sizeof...(Shape);
  static constexpr stream_values<Shape...> from(trace& history, int const* at, std::source_location where) {
    std::array<int, nodes> list{};
    for (std::size_t k = 0; k < nodes; ++k) list[k] = at[k];
    return {history, list, where};
  }
};

/// What a function of these streams gives back: one expression, or several.
template <class Shapes, passing How>
struct values_of;
template <passing How, class... Shape>
struct values_of<types<Shape...>, How> {
  using type = stream_values<Shape...>;
};
template <class Shape>
struct values_of<types<Shape>, passing::one_by_one> {
  using type = expression<Shape>;
};
template <class Shapes, passing How>
using result_values = typename values_of<Shapes, How>::type;

/// A block's function with what it reads.
template <class Body, class... Argument>
struct read_function {
  static constexpr bool is_one = requires(Argument (*... made)()) { Body{}(made()...); };

  /// Runs it on these nodes. Its arguments are made in the call: a copy would have a place.
  static constexpr decltype(auto) run(trace& history, int const* at, std::source_location where) {
    return with_places(history, at, where, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... K>
  static constexpr decltype(auto) with_places(trace& history, int const* at, std::source_location where,
                                              std::index_sequence<K...>) {
    constexpr std::size_t nodes[] = {made_value<Argument>::nodes...};  // only the first may be several streams
    return Body{}(made_value<Argument>::from(history, at + (K == 0 ? 0 : nodes[0] + K - 1), where)...);
  }
};
template <class Body, class... Argument>
read_function<Body, Argument...> function_with(types<Argument...>);
template <class Body, class Reading>
using function_of = decltype(function_with<Body>(typename Reading::arguments{}));
template <class Body, class Reading>
using result_with = std::remove_cvref_t<decltype(function_of<Body, Reading>::run(std::declval<trace&>(), nullptr, {}))>;

/// The feature axis of a stream's or block's result must be its stream's; a map may give anything.
enum class result_rule { same_shape, any_shape };

/// What is wrong with results of these shapes where those of the streams are wanted.
template <class Reading>
constexpr report examine_results(shape_value const* shapes, std::size_t count, std::source_location where) {
  constexpr auto read = Reading::all();
  constexpr std::size_t streams = Reading::streams;
  if (count != streams)
    return report(mistake::result_is_not_the_stream, where)
        .say({"streams: ", static_cast<std::int64_t>(streams)})
        .say({"results: ", static_cast<std::int64_t>(count)});
  for (std::size_t k = 0; k < count; ++k) {
    if (shapes[k] == read[k]) continue;
    report found(mistake::result_is_not_the_stream, where);
    if (streams > 1) found.say({"stream \"", Reading::names()[k], "\""});
    return found.compare({"stream"}, read[k], {"result"}, shapes[k]);
  }
  return {};
}

/// Runs a block's function once on a fresh trace. Text, sizes and graph of one block all come from here.
template <class Body, class Reading, result_rule Rule>
struct tracing {
  trace history;
  report found;
  std::vector<int> outputs;

  /// Whether the compiler can run the function to its end: a constant expression, or none.
  static constexpr bool ends() { return tracing{}.outputs.size() < most_streams; }

  constexpr tracing() {
    constexpr auto shapes = Reading::all();
    constexpr auto names = Reading::names();
    constexpr auto tokens = Reading::token_spaces();
    std::array<int, Reading::inputs> inputs{};
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = history.add_input(shapes[k], names[k], tokens[k]);
    if constexpr (!function_of<Body, Reading>::is_one) {
      found = not_a_function_of<Reading>();
    } else {
      found = run<result_with<Body, Reading>>(inputs.data());
      if (history.first_report()) found = history.first_report();
    }
  }

 private:
  /// Runs the function, and says what is wrong with its result.
  template <class Result>
  constexpr report run(int const* inputs) {
    using Function = function_of<Body, Reading>;
    if constexpr (Values<Result>) {
      Result const result = Function::run(history, inputs, {});
      auto const nodes = nodes_of(result);
      std::array<shape_value, nodes.size()> shapes;
      for (std::size_t k = 0; k < nodes.size(); ++k) shapes[k] = history[nodes[k]].shape;
      outputs.assign(nodes.begin(), nodes.end());
      if constexpr (Rule == result_rule::same_shape)
        return examine_results<Reading>(shapes.data(), shapes.size(), result.where());
      else return {};
    } else if constexpr (Poisoned<Result>) {
      return Function::run(history, inputs, {}).why;
    } else {
      Function::run(history, inputs, {});
      return report(mistake::returns_no_expression).given(kind_of<Result>);
    }
  }
};

/// What is wrong with a block's function, and how large its graph is.
struct trace_size {
  report found;
  std::size_t nodes = 0, scopes = 0, calls = 0, inputs = 0, outputs = 0;
};
template <class Body, class Reading, result_rule Rule>
constexpr trace_size measure_trace() {
  tracing<Body, Reading, Rule> const traced;
  return {traced.found,
          traced.history.nodes().size(),
          traced.history.scopes().size(),
          traced.history.calls().size(),
          traced.history.inputs().size(),
          traced.outputs.size()};
}

/// Of a function that the compiler cannot run, which is a mistake too.
template <class Body, class Reading, result_rule Rule>
inline constexpr trace_size trace_size_of{
    .found = report(mistake::not_constant).say({"not constexpr, or over the compiler's limits"})};
template <class Body, class Reading, result_rule Rule>
  requires requires { typename std::bool_constant<tracing<Body, Reading, Rule>::ends()>; }
inline constexpr trace_size trace_size_of<Body, Reading, Rule> = measure_trace<Body, Reading, Rule>();

template <class Body, class Reading, result_rule Rule>
constexpr auto store_graph() {
  constexpr trace_size const& size = trace_size_of<Body, Reading, Rule>;
  tracing<Body, Reading, Rule> const traced;
  stored_graph<size.nodes, size.scopes, size.calls, size.inputs, size.outputs> stored;
  for (std::size_t i = 0; i < size.nodes; ++i) stored.nodes[i] = traced.history.nodes()[i];
  for (std::size_t i = 0; i < size.scopes; ++i) stored.scopes[i] = traced.history.scopes()[i];
  for (std::size_t i = 0; i < size.calls; ++i) stored.calls[i] = traced.history.calls()[i];
  for (std::size_t i = 0; i < size.inputs; ++i) stored.inputs[i] = traced.history.inputs()[i];
  for (std::size_t i = 0; i < size.outputs; ++i) stored.outputs[i] = traced.outputs[i];
  stored.streams = Reading::streams;
  return stored;
}
/// The graph of a block that has no mistake, in static storage.
template <class Body, class Reading, result_rule Rule>
inline constexpr auto graph_of = store_graph<Body, Reading, Rule>();

}  // namespace residua::dsl::detail
