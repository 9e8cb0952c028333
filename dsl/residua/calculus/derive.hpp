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
  std::size_t input = 0;  // of a block: by which of its inputs; of a branch of two: 0 its argument, 1 the memory
  parameter wrt{};        // where not of the stream
  detail_level level = detail_level::branches;
  int inside = -1;  // the derivative of one branch by its argument: this call, written out
};

/// Whether a node reads this parameter.
constexpr bool owns(node const& n, parameter wrt) { return n.scope == wrt.scope && reads(n, wrt.which); }

namespace detail {

/// The branches that stay closed: opened are those around the parameter's own nodes.
constexpr graph::by_number<char> closed_calls(graph_view const& graph, derivative_request const& request) {
  graph::by_number<char> closed(graph.calls.size(), request.level == detail_level::parts ? 0 : 1);
  auto open = [&](int call) {
    for (; call >= 0; call = graph.call_at(call).around) closed[call] = 0;
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
    node const& n = graph_[at];
    if (reads(n, role::itself)) {
      int& known = of_scope_[n.scope];
      return known < 0 ? known = at : known;
    }
    for (int known : constants_)
      if (graph_[known].symbol == n.symbol && graph_[known].factor == n.factor) return known;
    constants_.push_back(at);
    return at;
  }

 private:
  graph_view graph_;
  graph::by_number<int> of_scope_;
  std::vector<int> constants_;
};

/// The derivatives of a graph's nodes, one after another.
class derivation {
 public:
  constexpr derivation(graph_view const& graph, derivative_request const& request)
      : graph_(graph),
        request_(request),
        closed_(closed_calls(graph, request)),
        derivative_(graph.nodes.size(), operator_pool::zero()),
        scalars_(graph) {}

  constexpr linear_operator run() {
    // the whole block, or one branch: its own nodes only, for its argument may stand in a branch that stays closed
    graph::call const whole{.end = graph_.size(), .result = graph_.output()};
    graph::call const& part = request_.inside < 0 ? whole : graph_.call_at(request_.inside);
    if (request_.of_stream) derivative_[input_of(part)] = operator_pool::identity();
    int next = 0;  // the first call that begins here or later
    int const calls = static_cast<int>(graph_.calls.size());
    for (int at = part.begin; at < part.end; ++at) {
      bool skipped = false;
      for (; next < calls && graph_.call_at(next).begin <= at; ++next) {
        graph::call const& call = graph_.call_at(next);
        if (closed_[next] == 0 || call.end <= at) continue;
        pass_over(next);
        at = call.end - 1;
        skipped = true;
        while (next + 1 < calls && graph_.call_at(next + 1).begin < call.end) ++next;
      }
      if (!skipped) visit(at);
    }
    result_.root = derivative_[part.result];
    return static_cast<linear_operator&&>(result_);
  }

 private:
  constexpr bool is_route() const { return request_.level == detail_level::route; }

  constexpr int input_of(graph::call const& part) const {
    if (request_.inside < 0) return graph_.inputs[request_.input];
    return request_.input == 0 ? part.argument : part.memory;
  }

  /// A closed branch: one factor for its argument and one for its memory.
  constexpr void pass_over(int at) {
    graph::call const& call = graph_.call_at(at);
    if (is_route() || call.result == call.argument) return;
    auto by = [&](int argument, std::size_t which) {
      return pool_.multiply(pool_.add_factor({.kind = atom::branch, .index = at, .operand = which}), derivative_[argument]);
    };
    derivative_[call.result] = by(call.argument, 0);
    if (call.memory >= 0) derivative_[call.result] = pool_.add(derivative_[call.result], by(call.memory, 1));
  }

  /// The sum over the operands of the row's factor times the operand's derivative, and the node's own parameter's share.
  constexpr void visit(int at) {
    node const& n = graph_[at];
    term& made = derivative_[at];
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      if (n.operands[k] < 0 || derivative_[n.operands[k]].is_zero()) continue;
      term const& operand = derivative_[n.operands[k]];
      auto local = [&] { return pool_.add_factor({.kind = atom::local, .index = at, .operand = k}); };
      switch (rule_of(n).factors[k]) {
        case factor::none: throw "residua: the operation has no derivative by this operand";
        case factor::identity: made = pool_.add(made, operand); break;
        case factor::negative: made = pool_.add(made, operator_pool::scale(-1, operand)); break;
        case factor::scalar:
          // no conditional operator: g++ 12 frees the scalars of its result in constant evaluation
          if (reads(n, role::itself) || !n.symbol.empty()) made = operator_pool::scale_by(scalars_.first(at), operand);
          else made = operator_pool::scale(n.factor, operand);
          break;
        case factor::vector:
        case factor::norm: made = pool_.multiply(local(), operand); break;
        case factor::other:
        case factor::activation:
        case factor::matrix:
        case factor::selection:
        case factor::rotation:
        case factor::queries:
        case factor::keys:
        case factor::values:
          if (!is_route()) made = pool_.add(made, pool_.multiply(local(), operand));
          break;
      }
    }
    if (request_.of_stream || !owns(n, request_.wrt)) return;
    int const own =
        pool_.add_factor({.kind = atom::parameter, .index = at, .operand = static_cast<std::size_t>(request_.wrt.which)});
    made = pool_.add(made, pool_.multiply(own, operator_pool::identity()));
  }

  graph_view graph_;
  derivative_request request_;
  graph::by_number<char> closed_;
  graph::by_number<term> derivative_;
  scalar_names scalars_;
  linear_operator result_;
  operator_pool& pool_ = result_.pool;
};

}  // namespace detail

/// d output / d stream (or parameter) as an operator: one rule for each node, from the table, in the order of computation.
/// Throws where a row has no factor for an operand that the derivative comes through.
constexpr linear_operator derive(graph_view const& graph, derivative_request const& request = {}) {
  return detail::derivation(graph, request).run();
}

/// The parameters of a block in the order of their first use.
constexpr std::vector<parameter> parameters_of(graph_view const& graph) {
  std::vector<parameter> list;
  graph::by_number<std::array<bool, every_role.size()>> listed(graph.scopes.size(), {});
  for (node const& n : graph.nodes)
    for (role which : every_role) {
      bool& known = listed[n.scope][static_cast<std::size_t>(which)];
      if (!reads(n, which) || known) continue;
      known = true;
      list.push_back({n.scope, which});
    }
  return list;
}

/// The axes that a parameter of a node lies over: none for a number, in and out for the matrix of a linear map.
constexpr std::vector<graph::axis_value> axes_of(graph_view const& graph, node const& n, role which) {
  graph::axis_value const out = n.shape.feature();
  switch (rule_of(n).parameters[which].axes) {
    case lies_over::nothing: return {};
    case lies_over::features:
      if (n.groups > 1) return {{"head_width", out.extent / n.groups}};
      return {out};
    case lies_over::both: return {graph[n.operands[0]].shape.feature(), out};
  }
  throw "residua: no axes";
}

/// Writes F.up.weight.
constexpr void write_path(writer& out, graph_view const& graph, parameter const& which) {
  graph::write_path(out, graph, which.scope);
  out.add(graph::suffix(which.which));
}

}  // namespace residua::calculus
