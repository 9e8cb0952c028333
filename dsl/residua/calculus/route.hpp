#pragma once
#include <residua/calculus/text/operator.hpp>

namespace residua::calculus {

/// What stands between a block's input and its output on the path that takes no branch.
enum class route : unsigned char {
  direct,   // a plain I
  scaled,   // scalars or learned vectors
  through,  // normalisations
  absent,   // there is no such path
};

constexpr std::string_view name(route kind) {
  constexpr std::string_view names[] = {"direct", "scaled", "through", "absent"};
  return names[static_cast<std::size_t>(kind)];
}

/// The verdict, the operator of that path, and the fewest normalisations on it.
struct identity_route_result {
  graph_view graph;
  route kind = route::absent;
  int norms = 0;
  double coefficient = 1;

  constexpr bool operator==(route other) const { return kind == other; }

  /// "direct", "scaled: 0.5 I", "through: J_N2 J_N1", "absent"
  constexpr graph::rendered text() const {
    writer out;
    out.add(name(kind));
    if (kind == route::scaled || kind == route::through) {
      out.add(": ");
      linear_operator const path = derive(graph, {.level = detail_level::route});
      operator_text(graph, path, notation::text).write(out, path.root);
    }
    return graph::rendered(static_cast<writer&&>(out));
  }
};

namespace detail {

struct route_content {
  int norms = 0;
  bool scaled = false;
};

constexpr route_content content_of(graph_view const& graph, operator_pool const& pool, term const& t) {
  route_content found{.scaled = t.coefficient != 1 || !t.scalars.empty()};
  for (int at : pool.factors_of(t.product)) {
    product_factor const& f = pool[at];
    if (f.kind == atom::sum) {  // several paths: the one with the fewest norms counts
      route_content best = content_of(graph, pool, f.terms[0]);
      int plain = 0;  // more than one path without a norm: their sum is no plain I
      for (term const& each : f.terms) {
        route_content const other = content_of(graph, pool, each);
        plain += other.norms == 0 ? 1 : 0;
        if (other.norms < best.norms || (other.norms == best.norms && !other.scaled)) best = other;
      }
      found.norms += best.norms;
      found.scaled = found.scaled || best.scaled || plain > 1;
    } else if (kind_of(graph[f.index]) == kind::norm) {
      ++found.norms;
    } else {
      found.scaled = true;
    }
  }
  return found;
}

}  // namespace detail

/// The verdict is read off the same algebra as the Jacobian, with every branch set to zero.
constexpr identity_route_result find_identity_route(graph_view const& graph) {
  linear_operator const path = derive(graph, {.level = detail_level::route});
  identity_route_result result{graph};
  if (path.root.is_zero()) return result;
  detail::route_content const found = detail::content_of(graph, path.pool, path.root);
  result.norms = found.norms;
  result.coefficient = path.root.coefficient;
  result.kind = found.norms > 0 ? route::through : found.scaled ? route::scaled : route::direct;
  return result;
}

}  // namespace residua::calculus
