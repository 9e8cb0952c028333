#pragma once
#include <residua/calculus/derive.hpp>

namespace residua::calculus {

/// The derivatives of one or more results by one or more streams (or by one parameter): a block matrix, a row for each result.
struct derivative_block {
  derivative_request first{};
  std::size_t results = 1;
  std::size_t inputs = 1;
  bool with_points = false;  // each factor says where it is taken

  constexpr derivative_block() = default;
  constexpr derivative_block(derivative_request const& one) : first(one) {}

  constexpr bool is_one() const { return results == 1 && inputs == 1; }
  /// One of them, as a block of its own.
  constexpr derivative_block alone(std::size_t result, std::size_t input) const {
    derivative_block made(at(result, input));
    made.with_points = with_points;
    return made;
  }
  constexpr derivative_request at(std::size_t result, std::size_t input) const {
    derivative_request request = first;
    request.output += result;
    request.input += input;
    return request;
  }

  /// Every result by every stream, by the memory, or by a parameter.
  static constexpr derivative_block by_streams(graph_view const& graph) {
    derivative_block made;
    made.results = graph.outputs.size();
    made.inputs = graph.streams;
    return made;
  }
  static constexpr derivative_block by_memory(graph_view const& graph) {
    derivative_block made({.input = graph.streams});
    made.results = graph.outputs.size();
    return made;
  }
  static constexpr derivative_block by_parameter(graph_view const& graph, parameter const& which) {
    derivative_block made({.of_stream = false, .wrt = which});
    made.results = graph.outputs.size();
    return made;
  }
};

/// What a result is called: y, y1, y2, ...
constexpr void write_result(writer& out, std::size_t k) {
  out.add("y");
  if (k > 0) out.add_integer(static_cast<std::int64_t>(k));
}

}  // namespace residua::calculus
