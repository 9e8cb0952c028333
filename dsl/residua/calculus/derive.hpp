#pragma once
#include <residua/calculus/factors.hpp>

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
  route,     // the same on the path that neither mixes features nor couples tokens: norms, scalars, vectors, gates
};

struct derivative_request {
  bool of_stream = true;
  std::size_t output = 0;  // of a block: which of its results
  std::size_t input = 0;   // of a block: by which of its inputs; of a branch of two: 0 its argument, 1 the memory
  parameter wrt{};         // where not of the stream
  detail_level level = detail_level::branches;
  bool by_name = true;    // constants with a name are scalars of it; otherwise numbers as any
  bool of_value = false;  // through `stopped` as well, which what is trained does not pass; branches around one are written out
  int inside = -1;        // the derivative of one branch by its argument: this call, written out
};

/// Whether a node reads this parameter.
constexpr bool owns(node const& n, parameter wrt) { return n.scope == wrt.scope && reads(n, wrt.which); }

namespace detail {

/// The branches that stay closed: opened are those around the parameter's own nodes.
constexpr graph::by_number<char> closed_calls(graph_view const& graph, derivative_request const& request) {
  graph::by_number<char> closed(graph.calls.size(), request.level == detail_level::branches ? 1 : 0);
  auto open = [&](int call) {
    for (; call >= 0; call = graph.call_at(call).around) closed[call] = 0;
  };
  if (request.level != detail_level::branches) return closed;
  open(request.inside);
  if (!request.of_stream)
    for (node const& n : graph.nodes)
      if (owns(n, request.wrt)) open(n.call);
  if (request.of_value)
    for (node const& n : graph.nodes)
      if (kind_of(n) == kind::stopped) open(n.call);
  return closed;
}

/// The derivatives of a graph's nodes, one after another.
class derivation {
 public:
  constexpr derivation(graph_view const& graph, derivative_request const& request)
      : graph_(graph),
        request_(request),
        closed_(closed_calls(graph, request)),
        derivative_(graph.nodes.size(), operator_pool::zero()),
        factors_(graph, pool_) {}

  constexpr linear_operator run() {
    result_.root = derivative_[walk()];
    return static_cast<linear_operator&&>(result_);
  }

  /// Which values depend on what the derivative is by.
  constexpr graph::by_number<char> moved() {
    walk();
    graph::by_number<char> found(graph_.nodes.size(), 0);
    for (int at = 0; at < graph_.size(); ++at) found[at] = derivative_[at].is_zero() ? 0 : 1;
    return found;
  }

 private:
  /// Visits the nodes; returns the one of the result.
  constexpr int walk() {
    // the whole block, or one branch: its own nodes only, for its argument may stand in a branch that stays closed
    graph::call const whole{.end = graph_.size(), .result = graph_.output(request_.output)};
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
    return part.result;
  }

  constexpr bool is_route() const { return request_.level == detail_level::route; }

  constexpr int input_of(graph::call const& part) const {
    if (request_.inside < 0) return graph_.inputs[request_.input];
    return request_.input == 0 ? part.argument : part.memory;
  }

  /// A closed branch: one factor for its argument and one for its memory.
  constexpr void pass_over(int at) {
    graph::call const& call = graph_.call_at(at);
    if (call.result == call.argument) return;
    auto by = [&](int argument, std::size_t which) { return pool_.multiply(factors_.branch(at, which), derivative_[argument]); };
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
      switch (rule_of(n).factors[k]) {
        case factor::none: throw "residua: the operation has no derivative by this operand";
        case factor::identity: made = pool_.add(made, operand); break;
        case factor::stopped:
          if (request_.of_value) made = pool_.add(made, operand);
          break;
        case factor::negative: made = pool_.add(made, operator_pool::scale(-1, operand)); break;
        case factor::scalar: made = scaled(at, operand); break;
        case factor::vector:
        case factor::activation:
        case factor::norm: made = pool_.multiply(factors_.local(at, k), operand); break;
        case factor::other: made = pool_.add(made, multiplied(n.operands[1 - k], operand)); break;
        case factor::column:
        case factor::row:
        case factor::mean:
        case factor::repetition:
        case factor::matrix:
        case factor::selection:
        case factor::insertion:
        case factor::rotation:
        case factor::queries:
        case factor::keys:
        case factor::values:
          if (!is_route()) made = pool_.add(made, pool_.multiply(factors_.local(at, k), operand));
          break;
      }
    }
    if (request_.of_stream || !owns(n, request_.wrt)) return;
    made = pool_.add(made, pool_.multiply(factors_.parameter(at, request_.wrt.which), operator_pool::identity()));
  }

  /// c a or alpha a, for the scalar of a node, which multiplies or is a term. A constant that is zero leaves nothing, whatever
  /// its name.
  constexpr term scaled(int at, term const& a) {
    node const& n = graph_[at];
    // no conditional operator: g++ 12 frees the scalars of its result in constant evaluation
    bool const has_name = !n.symbol.empty() && n.factor != 0 && request_.by_name;
    if (reads(n, role::itself) || has_name) return operator_pool::scale_by(factors_.scalar(at), a);
    if (n.divisor != 0) return operator_pool::scale(coefficient::reciprocal(n.divisor), a);
    return operator_pool::scale(n.factor, a);
  }

  /// diag(v) a. On the route sums and products are taken apart, so that what is left of t .* x + (1 - t) .* x is x.
  constexpr term multiplied(int value, term const& a) {
    if (is_route() && is_within(value, most_parts)) return multiplied_by_parts(value, a);
    return pool_.multiply(factors_.diagonal(value), a);
  }
  constexpr term multiplied_by_parts(int value, term const& a) {
    node const& n = graph_[value];
    auto by = [&](std::size_t operand) { return multiplied_by_parts(n.operands[operand], a); };
    switch (kind_of(n)) {
      case kind::sum: return pool_.add(by(0), operator_pool::scale(n.operation == op::subtract ? -1 : 1, by(1)));
      case kind::scale:
        if (rule_of(n).factors[0] == factor::scalar) return scaled(value, by(0));
        return pool_.multiply(factors_.local(value, 0), by(0));
      case kind::hadamard:
      case kind::token_scale: return multiplied_by_parts(n.operands[0], by(1));
      case kind::term:
        if (n.operation != op::learned_vector) return scaled(value, a);
        return pool_.multiply(factors_.diagonal(value), a);
      case kind::stopped:
      case kind::renamed: return by(0);
      case kind::input:
      case kind::repetition:
      case kind::reduction:
      case kind::norm:
      case kind::product:
      case kind::pointwise:
      case kind::selection:
      case kind::joining:
      case kind::rotation:
      case kind::coupling: return pool_.multiply(factors_.diagonal(value), a);
    }
    throw "residua: no kind";
  }
  /// Whether a value is a sum of products of so few parts; a value of more stays one factor.
  static constexpr int most_parts = 16;
  constexpr bool is_within(int value, int most) const { return count_parts(value, most) <= most; }
  constexpr int count_parts(int value, int most) const {
    node const& n = graph_[value];
    kind const is = kind_of(n);
    if (is != kind::sum && is != kind::scale && is != kind::hadamard && is != kind::token_scale && is != kind::renamed) return 1;
    int parts = 0;
    for (int operand : n.operands)
      if (operand >= 0 && parts <= most) parts += count_parts(operand, most - parts);
    return parts;
  }

  graph_view graph_;
  derivative_request request_;
  graph::by_number<char> closed_;
  graph::by_number<term> derivative_;
  linear_operator result_;
  operator_pool& pool_ = result_.pool;
  factor_list factors_;
};

}  // namespace detail

/// d result / d stream (or parameter) as an operator: one rule for each node, from the table, in the order of computation.
/// Throws where a row has no factor for an operand that the derivative comes through.
constexpr linear_operator derive(graph_view const& graph, derivative_request const& request = {}) {
  return detail::derivation(graph, request).run();
}

/// Which values depend on an input, whatever the parameters are.
constexpr graph::by_number<char> moved_by_input(graph_view const& graph, std::size_t input) {
  return detail::derivation(graph, {.input = input, .level = detail_level::parts}).moved();
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
