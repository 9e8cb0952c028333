#pragma once
#include <residua/calculus/pairs.hpp>
#include <residua/calculus/route.hpp>

namespace residua::calculus {

/// The verdict for a block of several streams: the best of all pairs of result and stream, and on which streams it is. A result
/// has the path of its own stream; where none has such a path, one crosses from a stream to the result of another.
struct block_route_result {
  graph_view graph;
  route kind = route::absent;
  int norms = 0;           // the fewest on a path of that kind
  double coefficient = 0;  // of the first of these paths

  constexpr bool operator==(route other) const { return kind == other; }

  /// "direct on r", "through on x: J_N", "direct from x to y1", "absent"
  constexpr graph::rendered text() const {
    writer out;
    out.add(name(kind));
    if (kind == route::absent) return graph::rendered(static_cast<writer&&>(out));
    bool const crosses = !has_own();
    std::string_view before = crosses ? " from " : " on ";
    for (std::size_t row = 0; row < graph.outputs.size(); ++row)
      for (std::size_t column = 0; column < graph.streams; ++column) {
        if (crosses == is_own(row, column)) continue;
        identity_route_result const path = find_identity_route(graph, row, column);
        if (path.kind != kind) continue;
        out.add(before);
        before = ", ";
        out.add(graph.input(column).symbol);
        if (crosses) {
          out.add(" to ");
          write_result(out, row);
        }
        graph::rendered const own = path.text();
        out.add(own.view().substr(name(kind).size()));
      }
    return graph::rendered(static_cast<writer&&>(out));
  }

  constexpr bool is_own(std::size_t row, std::size_t column) const {
    return row == column && graph.outputs.size() == graph.streams;
  }

 private:
  /// Whether a stream has such a path to its own result.
  constexpr bool has_own() const {
    for (std::size_t k = 0; k < graph.streams; ++k)
      if (is_own(k, k) && find_identity_route(graph, k, k).kind == kind) return true;
    return false;
  }
};

/// The best verdict of all pairs; the kinds are in the order of their enumeration.
constexpr block_route_result find_block_route(graph_view const& graph) {
  block_route_result best{graph};
  for (std::size_t row = 0; row < graph.outputs.size(); ++row)
    for (std::size_t column = 0; column < graph.streams; ++column) {
      identity_route_result const path = find_identity_route(graph, row, column);
      if (path.kind < best.kind) best.kind = path.kind, best.norms = path.norms, best.coefficient = path.coefficient;
      else if (path.kind == best.kind && path.norms < best.norms) best.norms = path.norms;
    }
  return best;
}

/// The verdict of any block, as text.
constexpr graph::rendered route_text(graph_view const& graph) {
  return graph.has_several() ? find_block_route(graph).text() : find_identity_route(graph).text();
}

}  // namespace residua::calculus
