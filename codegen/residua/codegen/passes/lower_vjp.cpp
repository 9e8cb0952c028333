#include <algorithm>
#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class vjp_lowering : public factor_application {
 public:
  vjp_lowering(graph_view const& graph, graph_facts const& facts, parameter_list const& parameters)
      : factor_application(graph, facts), parameters_(parameters), cotangent_(graph.nodes.size(), -1) {}

  program run() {
    compute_points();
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) {
      int const at = graph_.outputs[k];
      std::string const name = cotangent_name(k);
      work_for(at);
      add_cotangent(at, make(at, name, name, home::argument, port_of(port::kind::cotangent, k)));
    }
    for (int at = graph_.size() - 1; at >= 0; --at) {
      if (!is_needed(at)) continue;
      work_for(at);
      join_columns(at);
      if (cotangent(at) >= 0) pass_on(at);
    }
    for (std::size_t k = 0; k < graph_.inputs.size(); ++k)
      deliver(cotangent(graph_.inputs[k]), graph_.inputs[k], "g" + input_name(k), port_of(port::kind::gradient, k));
    return std::move(program_);
  }

 private:
  int& cotangent(int at) { return cotangent_[static_cast<std::size_t>(at)]; }
  int input(int at, std::size_t k) { return primal(node_at(at).operands[k]); }

  // The points: values at which factors are taken.

  /// The nodes whose values the factor of operand k needs, and those that the gradients of parameters need.
  void want_points(int at, std::vector<char>& wanted) const {
    node const& n = node_at(at);
    auto want = [&](int node) { wanted[static_cast<std::size_t>(node)] = 1; };
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      if (n.operands[k] < 0) continue;
      switch (calculus::rule_of(n).factors[k]) {
        case factor::norm:
        case factor::activation: want(n.operands[k]); break;
        case factor::other:
        case factor::column:
        case factor::row: want(n.operands[1 - k]); break;
        case factor::queries:
        case factor::keys:
        case factor::values: want(at); break;
        case factor::matrix:
        case factor::scalar:
        case factor::vector:
          for (role each : calculus::every_role)
            if (calculus::reads(n, each)) want(n.operands[k]);
          break;
        case factor::none:
        case factor::identity:
        case factor::negative:
        case factor::stopped:
        case factor::mean:
        case factor::repetition:
        case factor::selection:
        case factor::insertion:
        case factor::rotation: break;
      }
    }
  }

  /// Computes the points, and no other values.
  void compute_points() {
    std::vector<char> wanted(graph_.nodes.size(), 0);
    for (int at = 0; at < graph_.size(); ++at)
      if (is_needed(at)) want_points(at, wanted);
    for (int at = graph_.size() - 1; at >= 0; --at)
      if (wanted[static_cast<std::size_t>(at)] != 0)
        for (int each : node_at(at).operands)
          if (each >= 0) wanted[static_cast<std::size_t>(each)] = 1;
    for (int at = 0; at < graph_.size(); ++at) {
      if (wanted[static_cast<std::size_t>(at)] == 0) continue;
      compute(at);
      if (calculus::kind_of(node_at(at)) == kind::coupling) add_sums(at);
    }
  }

  /// Has an attention leave what its weights can be computed again from.
  void add_sums(int at) {
    axis_value const width{"2 heads", 2 * node_at(at).attention->heads};
    int const sums = make(at, width, names_("sums_" + path_of(at)), "of each head: the largest score, and the sum beside it");
    program_.stages.back().instructions.back().results.push_back(sums);
    sums_[at] = sums;
  }

  // Cotangents.

  void add_cotangent(int at, int part) {
    std::string const of = name_of(at);
    int& sum = cotangent(at);
    sum = sum < 0 ? part
                  : emit(opcode::add, -1, {tile_of(sum), tile_of(part)}, {make(at, names_("g_" + of), "cotangent of " + of)});
  }

  /// The cotangent of a value that was used by its columns.
  void join_columns(int at) {
    auto const parts = parts_.find(at);
    if (parts == parts_.end()) return;
    std::string const of = name_of(at);
    for (std::vector<int> rest = parts->second; !rest.empty();) {  // of those that share columns each in a join of its own
      std::vector<operand> inputs;
      std::vector<std::int64_t> columns;
      std::vector<int> apart, later;
      for (int part : rest) {
        bool const shares = std::ranges::any_of(apart, [&](int other) { return share_columns(part, other); });
        (shares ? later : apart).push_back(part);
      }
      for (int part : apart) {
        inputs.push_back(tile_of(cotangent(part)));
        columns.push_back(node_at(part).first_feature);
      }
      int const into = make(at, names_("g_" + of), "cotangent of " + of);
      add_cotangent(at, emit_join(at, std::move(inputs), std::move(columns), into));
      rest = std::move(later);
    }
  }
  bool share_columns(int a, int b) const {
    auto end = [&](int at) { return node_at(at).first_feature + node_at(at).shape.feature().extent; };
    return node_at(a).first_feature < end(b) && node_at(b).first_feature < end(a);
  }

  /// The cotangents of values that were put side by side: columns of the whole's.
  void divide(int at) {
    node const& n = node_at(at);
    for (std::size_t k = 0; k < n.operands.size() && n.operands[k] >= 0; ++k) {
      std::string const of = name_of(n.operands[k]);
      add_cotangent(n.operands[k],
                    make_columns(n.operands[k], cotangent(at), first_column(at, k), names_("g_" + of), "cotangent of " + of));
    }
  }

  /// Gives the cotangent of a node to its operands, and its share to the node's parameters.
  void pass_on(int at) {
    node const& n = node_at(at);
    switch (calculus::kind_of(n)) {
      case kind::input:
      case kind::stopped: return;
      case kind::coupling: return pass_attention(at);
      case kind::selection: parts_[n.operands[0]].push_back(at); return;
      case kind::joining: return divide(at);
      case kind::term:
      case kind::sum:
      case kind::scale:
      case kind::hadamard:
      case kind::token_scale:
      case kind::repetition:
      case kind::reduction:
      case kind::renamed:
      case kind::norm:
      case kind::product:
      case kind::pointwise:
      case kind::rotation: break;
    }
    collect_gradients(at);
    auto const& factors = calculus::rule_of(n).factors;
    int const g = cotangent(at);
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      if (n.operands[k] < 0 || node_at(n.operands[k]).operation == op::constant) continue;
      std::string const of = name_of(n.operands[k]);
      int const part = apply(factors[k], at, k, g, true, "g_" + of, "cotangent of " + of);
      if (factors[k] == factor::norm) program_.stages.back().instructions.back().partials = norm_partials(n);
      add_cotangent(n.operands[k], part);
    }
  }

  /// The cotangents of queries, keys and values from that of their attention.
  void pass_attention(int at) {
    node const& n = node_at(at);
    axis_value const per_head{"heads", n.attention->heads};
    int const q = input(at, 0), k = input(at, 1), v = input(at, 2), g = cotangent(at), sums = sums_.at(at);
    int const dots = emit(opcode::attend_dots, at, {tile_of(primal(at)), tile_of(g)},
                          {make(at, per_head, names_("dots_" + path_of(at)), "<g, o> per head")});
    auto made = [&](std::size_t which) {
      std::string const of = name_of(n.operands[which]);
      return make(n.operands[which], names_("g_" + of), "cotangent of " + of);
    };
    int const gq = made(0), gk = made(1), gv = made(2);
    emit(opcode::attend_vjp_queries, at, {tile_of(q), whole_of(k), whole_of(v), tile_of(sums), tile_of(dots), tile_of(g)}, {gq});
    emit(opcode::attend_vjp_keys, at, {tile_of(k), tile_of(v), whole_of(q), whole_of(sums), whole_of(dots), whole_of(g)},
         {gk, gv});
    add_cotangent(n.operands[0], gq);
    add_cotangent(n.operands[1], gk);
    add_cotangent(n.operands[2], gv);
  }

  // Gradients of parameters.

  /// Of a node whose parameters are no norm's: a norm_vjp adds to those itself.
  void collect_gradients(int at) {
    node const& n = node_at(at);
    int const g = cotangent(at);
    auto parameter = [&](role which) { return parameters_.find(n, which); };
    switch (calculus::kind_of(n)) {
      case kind::product:
        program_.stages[0].sums.push_back(
            {.parameter = parameter(role::weight), .a = held(input(at, 0)), .b = held(g), .layer = layer_});
        if (int const bias = parameter(role::bias); bias >= 0) add_to(partial(bias), opcode::column_sums, at, {tile_of(g)});
        return;
      case kind::scale:
        if (int const itself = parameter(role::itself); itself >= 0)
          add_to(partial(itself), parameters_[itself].shape.empty() ? opcode::dot : opcode::column_dots, at,
                 {tile_of(input(at, 0)), tile_of(g)});
        return;
      case kind::term:
        if (int const itself = parameter(role::itself); itself >= 0)
          add_to(partial(itself), parameters_[itself].shape.empty() ? opcode::sum : opcode::column_sums, at, {tile_of(g)});
        return;
      case kind::input:
      case kind::stopped:
      case kind::sum:
      case kind::hadamard:
      case kind::token_scale:
      case kind::repetition:
      case kind::reduction:
      case kind::renamed:
      case kind::norm:
      case kind::pointwise:
      case kind::selection:
      case kind::joining:
      case kind::rotation:
      case kind::coupling: return;
    }
  }

  void add_to(int share, opcode what, int at, std::vector<operand> inputs) {
    emit(what, at, std::move(inputs), {});
    program_.stages.back().instructions.back().partials = {share};
  }

  /// One for each role that the norm's rule lists.
  std::vector<int> norm_partials(node const& n) {
    std::vector<int> list;
    for (role each : calculus::every_role) {
      if (!calculus::rule_of(n).parameters.contains(each)) continue;
      int const parameter = parameters_.find(n, each);
      list.push_back(parameter < 0 ? -1 : partial(parameter));
    }
    return list;
  }

  /// This tile's share of a vector's gradient, one for each parameter.
  int partial(int parameter) {
    auto const [known, fresh] = partials_.try_emplace(parameter, -1);
    if (fresh) {
      parameter_tensor const& tensor = parameters_[parameter];
      axis_value const width = tensor.shape.empty() ? axis_value{"", 1} : tensor.shape[0];
      known->second = make(graph_.inputs[0], width, names_("gradient_" + tensor.member), "this tile's share", home::partial);
      program_.stages[0].sums.push_back({.parameter = parameter, .a = known->second, .layer = layer_});
    }
    return known->second;
  }

  int held(int at) {
    value& owner = program_[program_.base_of(at)];
    if (owner.place == home::tile) owner.place = home::held;
    return at;
  }

  parameter_list const& parameters_;
  std::vector<int> cotangent_;             // of each node
  std::map<int, int> partials_;            // of each parameter
  std::map<int, int> sums_;                // of each attention: its rows' softmax sums
  std::map<int, std::vector<int>> parts_;  // of a node used by its columns: the nodes of these
};

}  // namespace

program lower_vjp(graph_view const& graph, graph_facts const& facts, parameter_list const& parameters) {
  return vjp_lowering(graph, facts, parameters).run();
}

}  // namespace residua::codegen
