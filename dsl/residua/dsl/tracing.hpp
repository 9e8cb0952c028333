#pragma once
#include <residua/dsl/operation.hpp>

namespace residua::dsl::detail {

template <class Body, class Shape>
using result_of = std::remove_cvref_t<decltype(Body{}(std::declval<expression<Shape>>()))>;

/// Calls a branch's function, or applies its operation, which then knows the place in the user's code.
template <class Body, class Shape>
constexpr decltype(auto) call(expression<Shape>&& x, std::source_location where) {
  if constexpr (Operation<Body>) return Body{}(x, where);
  else return Body{}(static_cast<expression<Shape>&&>(x));
}

/// A block's function of two streams as one of the first: it brings the second, the memory, as an input of its own.
template <class Body, class Memory>
struct with_memory {
  using function = Body;

  template <class Shape>
    requires requires(expression<Shape> (*x)(), expression<Memory> (*memory)()) { Body{}(x(), memory()); }
  constexpr auto operator()(expression<Shape> const& x) const {
    trace& history = x.history();
    int const input = history.add_input(value_of(Memory{}), "memory");
    return Body{}(expression<Shape>{history, x.at(), x.where()}, expression<Memory>{history, input, x.where()});
  }
};

/// The shape of a block's memory, or void.
template <class Body>
struct memory_of {
  using type = void;
};
template <class Body, class Memory>
struct memory_of<with_memory<Body, Memory>> {
  using type = Memory;
};
template <class Body>
inline constexpr bool reads_memory = !std::is_void_v<typename memory_of<Body>::type>;

/// The feature axis of a stack's or block's result must be its stream's; a map may give anything.
enum class result_rule { same_shape, any_shape };

/// Runs a block's function once on a fresh trace. Text, sizes and graph of one block all come from here.
template <class Body, class Shape, result_rule Rule>
struct tracing {
  trace history;
  report found;
  int output = 0;

  /// Whether the compiler can run the function to its end: a constant expression, or none.
  static constexpr bool ends() { return tracing{}.output >= 0; }

  constexpr tracing() {
    int const input = history.add_input(value_of(Shape{}), "x");
    if constexpr (!FunctionOf<Body, Shape>) {
      found = report(reads_memory<Body> ? mistake::not_a_function_of_two : mistake::not_a_function);
    } else {
      using Result = result_of<Body, Shape>;
      found = run<Result>(input);
      if (history.first_report()) found = history.first_report();
    }
  }

 private:
  /// Runs the function, and says what is wrong with its result. Its argument is made in the call: a copy would have a place.
  template <class Result>
  constexpr report run(int input) {
    if constexpr (Expression<Result>) {
      Result const result = Body{}(expression<Shape>{history, input, {}});
      output = result.at();
      constexpr shape_value stream = value_of(Shape{}), shape = value_of(typename Result::shape{});
      if constexpr (Rule == result_rule::same_shape && stream != shape)
        return report(mistake::result_is_not_the_stream, result.where()).compare({"stream"}, stream, {"result"}, shape);
      else return {};
    } else if constexpr (Poisoned<Result>) {
      return Body{}(expression<Shape>{history, input, {}}).why;
    } else {
      Body{}(expression<Shape>{history, input, {}});
      return report(mistake::returns_no_expression).given(kind_of<Result>);
    }
  }
};

/// What is wrong with a block's function, and how large its graph is.
struct trace_size {
  report found;
  std::size_t nodes = 0, scopes = 0, calls = 0, inputs = 0;
};
template <class Body, class Shape, result_rule Rule>
constexpr trace_size measure_trace() {
  tracing<Body, Shape, Rule> const traced;
  return {traced.found, traced.history.nodes().size(), traced.history.scopes().size(), traced.history.calls().size(),
          traced.history.inputs().size()};
}

/// Of a function that the compiler cannot run, which is a mistake too.
template <class Body, class Shape, result_rule Rule>
inline constexpr trace_size trace_size_of{
    .found = report(mistake::not_constant).say({"not constexpr, or over the compiler's limits"})};
template <class Body, class Shape, result_rule Rule>
  requires requires { typename std::bool_constant<tracing<Body, Shape, Rule>::ends()>; }
inline constexpr trace_size trace_size_of<Body, Shape, Rule> = measure_trace<Body, Shape, Rule>();

template <class Body, class Shape, result_rule Rule>
constexpr auto store_graph() {
  constexpr trace_size const& size = trace_size_of<Body, Shape, Rule>;
  tracing<Body, Shape, Rule> const traced;
  stored_graph<size.nodes, size.scopes, size.calls, size.inputs> stored;
  for (std::size_t i = 0; i < size.nodes; ++i) stored.nodes[i] = traced.history.nodes()[i];
  for (std::size_t i = 0; i < size.scopes; ++i) stored.scopes[i] = traced.history.scopes()[i];
  for (std::size_t i = 0; i < size.calls; ++i) stored.calls[i] = traced.history.calls()[i];
  for (std::size_t i = 0; i < size.inputs; ++i) stored.inputs[i] = traced.history.inputs()[i];
  stored.outputs = {traced.output};
  return stored;
}
/// The graph of a block that has no mistake, in static storage.
template <class Body, class Shape, result_rule Rule>
inline constexpr auto graph_of = store_graph<Body, Shape, Rule>();

}  // namespace residua::dsl::detail
