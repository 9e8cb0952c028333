#pragma once
#include <residua/calculus/linear_operator.hpp>
#include <residua/calculus/rules.hpp>

namespace residua::calculus {

/// A parameter: the scope that owns it and its role there.
struct parameter {
  int scope = 0;
  role which = role::weight;

  constexpr bool operator==(parameter const&) const = default;
};

/// How a derivative is written: which branches are one factor J_F, and whether only the identity's route is followed.
enum class detail_level : unsigned char {
  branches,  // each branch is one factor, except those on the way to the parameter
  parts,     // every operation is a factor of its own
  route,     // only what the stream passes on the path that takes no branch: norms, scalars, vectors
};

struct derivative_request {
  bool of_stream = true;
  int input = 0;    // of a block: by which of its inputs; of a branch of two: 0 its argument, 1 the memory
  parameter wrt{};  // where not of the stream
  detail_level level = detail_level::branches;
  int inside = -1;  // the derivative of one branch by its argument: this call, written out
};

namespace detail {

constexpr bool owns(node const& n, parameter wrt) { return n.scope == wrt.scope && reads(n, wrt.which); }

/// The branches that stay closed: opened are those around the parameter's own nodes.
constexpr std::vector<char> closed_calls(graph_view const& graph, derivative_request const& request) {
  std::vector<char> closed(graph.calls.size(), request.level == detail_level::parts ? 0 : 1);
  auto open = [&](int call) {
    for (; call >= 0; call = graph.calls[static_cast<std::size_t>(call)].around) closed[static_cast<std::size_t>(call)] = 0;
  };
  if (request.level != detail_level::branches) return closed;
  open(request.inside);
  if (!request.of_stream)
    for (node const& n : graph.nodes)
      if (owns(n, request.wrt)) open(n.call);
  return closed;
}

/// One node for each scalar with a name, the first that uses it, so that equal scalars are equal numbers.
class scalar_names {
 public:
  constexpr explicit scalar_names(graph_view const& graph) : graph_(graph), of_scope_(graph.scopes.size(), -1) {}

  constexpr int first(int at) {
    node const& n = graph_.nodes[static_cast<std::size_t>(at)];
    if (reads(n, role::itself)) {
      int& known = of_scope_[static_cast<std::size_t>(n.scope)];
      return known < 0 ? known = at : known;
    }
    for (int known : constants_) {
      node const& other = graph_.nodes[static_cast<std::size_t>(known)];
      if (other.symbol == n.symbol && other.factor == n.factor) return known;
    }
    constants_.push_back(at);
    return at;
  }

 private:
  graph_view graph_;
  std::vector<int> of_scope_;
  std::vector<int> constants_;
};

}  // namespace detail

/// d output / d stream (or parameter) as an operator: one rule for each node, from the table, in the order of computation.
constexpr linear_operator derive(graph_view const& graph, derivative_request const& request = {}) {
  linear_operator result;
  operator_pool& pool = result.pool;
  std::vector<char> const closed = detail::closed_calls(graph, request);
  std::vector<term> derivative(graph.nodes.size(), operator_pool::zero());
  detail::scalar_names scalars(graph);
  bool const route = request.level == detail_level::route;
  // the whole block, or one branch: its own nodes only, for its argument may stand in a branch that stays closed
  graph::call const whole{.end = static_cast<int>(graph.nodes.size()), .result = graph.output()};
  graph::call const part = request.inside < 0 ? whole : graph.calls[static_cast<std::size_t>(request.inside)];
  int const input = request.inside < 0 ? graph.inputs[static_cast<std::size_t>(request.input)] : request.input == 0 ? part.argument : part.memory;
  int const output = part.result;
  std::size_t const begin = static_cast<std::size_t>(part.begin);
  std::size_t const end = static_cast<std::size_t>(part.end);
  if (request.of_stream) derivative[static_cast<std::size_t>(input)] = operator_pool::identity();

  std::size_t next_call = 0;
  for (std::size_t i = begin; i < end; ++i) {
    bool skipped = false;
    for (; next_call < graph.calls.size() && graph.calls[next_call].begin <= static_cast<int>(i); ++next_call) {
      graph::call const& call = graph.calls[next_call];
      if (closed[next_call] == 0 || call.end <= static_cast<int>(i)) continue;
      // a closed branch: one factor, and its nodes are passed over
      if (!route && call.result != call.argument) {
        auto by = [&](int argument, int which) {
          return pool.multiply(pool.add_factor({.kind = atom::branch, .index = static_cast<int>(next_call), .operand = which}),
                               derivative[static_cast<std::size_t>(argument)]);
        };
        derivative[static_cast<std::size_t>(call.result)] = by(call.argument, 0);
        if (call.memory >= 0)
          derivative[static_cast<std::size_t>(call.result)] =
              pool.add(derivative[static_cast<std::size_t>(call.result)], by(call.memory, 1));
      }
      i = static_cast<std::size_t>(call.end) - 1;
      skipped = true;
      while (next_call + 1 < graph.calls.size() && graph.calls[next_call + 1].begin < call.end) ++next_call;
    }
    if (skipped) continue;

    node const& n = graph.nodes[i];
    term& made = derivative[i];
    auto operand = [&](std::size_t k) -> term const& { return derivative[static_cast<std::size_t>(n.operands[k])]; };
    auto local = [&](std::size_t k) {
      return pool.add_factor({.kind = atom::local, .index = static_cast<int>(i), .operand = static_cast<int>(k)});
    };
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      if (n.operands[k] < 0 || operand(k).is_zero()) continue;
      switch (rule_of(n.operation).factors[k]) {
        case factor::none: break;
        case factor::identity: made = pool.add(made, operand(k)); break;
        case factor::negative: made = pool.add(made, operator_pool::scale(-1, operand(k))); break;
        case factor::scalar:
          // no conditional operator: g++ 12 frees the scalars of its result in constant evaluation
          if (reads(n, role::itself) || !n.symbol.empty()) made = operator_pool::scale_by(scalars.first(static_cast<int>(i)), operand(k));
          else made = operator_pool::scale(n.factor, operand(k));
          break;
        case factor::vector:
        case factor::norm: made = pool.multiply(local(k), operand(k)); break;
        case factor::other:
        case factor::activation:
        case factor::matrix:
        case factor::selection:
        case factor::rotation:
        case factor::queries:
        case factor::keys:
        case factor::values:
          if (!route) made = pool.add(made, pool.multiply(local(k), operand(k)));
          break;
      }
    }
    if (!request.of_stream && detail::owns(n, request.wrt)) {
      int const own = pool.add_factor(
          {.kind = atom::parameter, .index = static_cast<int>(i), .operand = static_cast<int>(request.wrt.which)});
      made = pool.add(made, pool.multiply(own, operator_pool::identity()));
    }
  }
  result.root = derivative[static_cast<std::size_t>(output)];
  return result;
}

/// The parameters of a block in the order of their first use.
constexpr std::vector<parameter> parameters_of(graph_view const& graph) {
  std::vector<parameter> list;
  std::vector<char> seen(graph.scopes.size() * every_role.size(), 0);
  for (node const& n : graph.nodes)
    for (std::size_t r = 0; r < every_role.size(); ++r) {
      char& listed = seen[static_cast<std::size_t>(n.scope) * every_role.size() + r];
      if (!reads(n, every_role[r]) || listed != 0) continue;
      listed = 1;
      list.push_back({n.scope, every_role[r]});
    }
  return list;
}

/// Writes F.up.weight.
constexpr void write_path(writer& out, graph_view const& graph, parameter const& which) {
  graph::write_path(out, graph, which.scope);
  out.add(suffix(which.which));
}

}  // namespace residua::calculus
