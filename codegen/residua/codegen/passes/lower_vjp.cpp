#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class vjp_lowering : public factor_application {
 public:
  vjp_lowering(graph_view const& graph, parameter_list const& parameters)
      : factor_application(graph), parameters_(parameters), cotangent_(graph.nodes.size(), -1) {}

  program run() {
    compute_points();
    cotangent_[static_cast<std::size_t>(graph_.output())] = make(graph_.output(), "g", "g", home::cotangent);
    for (int at = count() - 1; at > 0; --at) {
      if (!is_needed(at)) continue;
      join_columns(at);
      if (cotangent_[static_cast<std::size_t>(at)] >= 0 && node_at(at).operation != op::input) pass_on(at);
    }
    deliver(cotangent_[0], home::input_gradient, "gx", 0);
    if (has_memory(graph_)) deliver(cotangent_[1], home::memory_gradient, "gm", 1);
    return std::move(program_);
  }

 private:
  /// Computes the values at which factors are taken, and no others.
  void compute_points() {
    std::vector<bool> wanted(graph_.nodes.size(), false);
    auto want = [&](int at) { wanted[static_cast<std::size_t>(at)] = true; };
    for (int at = 1; at < count(); ++at) {
      if (!is_needed(at)) continue;
      node const& n = node_at(at);
      switch (calculus::rule_of(n.operation).factors[0]) {
        case factor::norm:
        case factor::activation:
        case factor::matrix:
        case factor::vector: want(n.operands[0]); break;
        case factor::scalar:
          if (calculus::reads(n, role::itself)) want(n.operands[0]);
          break;
        case factor::other:
          want(n.operands[0]);
          want(n.operands[1]);
          break;
        case factor::queries: want(at); break;
        default: break;
      }
    }
    for (int at = count() - 1; at > 0; --at)
      if (wanted[static_cast<std::size_t>(at)])
        for (int operand : node_at(at).operands)
          if (operand >= 0) want(operand);
    for (int at = 0; at < count(); ++at) {
      if (!wanted[static_cast<std::size_t>(at)]) continue;
      compute(at);
      if (node_at(at).operation != op::attend) continue;
      int const sums = make(at, per_head(at), names_("log_sums_" + path_of(node_at(at))), "log sum_j exp(s_ij) per head");
      program_.stages.back().instructions.back().second = log_sums_[at] = sums;
    }
  }

  axis_value per_head(int at) const { return {"heads", node_at(at).attention->heads}; }

  /// The cotangents of queries, keys and values from that of their attention.
  void pass_attention(int at, int g) {
    node const& n = node_at(at);
    auto value = [&](std::size_t k) { return primal_[static_cast<std::size_t>(n.operands[k])]; };
    int const sums = log_sums_.at(at);
    int const dots = make(at, per_head(at), names_("dots_" + path_of(n)), "<g, o> per head");
    emit(code::attend_dots, at, {primal_[static_cast<std::size_t>(at)], g}, dots);
    auto cotangent = [&](std::size_t k) {
      std::string const of = name_of(n.operands[k]);
      return make(n.operands[k], names_("g_" + of), "cotangent of " + of);
    };
    int const gq = emit(code::attend_vjp_queries, at, {value(0), value(1), value(2), sums, dots, g}, cotangent(0));
    int const gk = cotangent(1);
    int const gv = cotangent(2);
    emit(code::attend_vjp_keys, at, {value(1), value(2), value(0), sums, dots, g}, gk);
    program_.stages.back().instructions.back().second = gv;
    add_cotangent(n.operands[0], gq);
    add_cotangent(n.operands[1], gk);
    add_cotangent(n.operands[2], gv);
  }

  /// The cotangent of a value that was used by its columns.
  void join_columns(int at) {
    auto const parts = parts_.find(at);
    if (parts == parts_.end()) return;
    std::string const of = name_of(at);
    add_cotangent(at, emit(code::join, at, parts->second, make(at, names_("g_" + of), "cotangent of " + of)));
  }

  void add_cotangent(int at, int part) {
    int& sum = cotangent_[static_cast<std::size_t>(at)];
    std::string const of = name_of(at);
    sum = sum < 0 ? part : emit(code::add, at, {sum, part}, make(at, names_("g_" + of), "cotangent of " + of));
  }

  /// Gives the cotangent of a node to its operands, and its share to the node's parameters.
  void pass_on(int at) {
    node const& n = node_at(at);
    int const g = cotangent_[static_cast<std::size_t>(at)];
    if (n.operation == op::attend) return pass_attention(at, g);
    if (n.operation == op::columns) {
      program_[g].first = n.first_feature;
      parts_[n.operands[0]].push_back(g);
      return;
    }
    collect_gradients(at, g);
    auto const& factors = calculus::rule_of(n.operation).factors;
    for (std::size_t k = 0; k < 2; ++k) {
      if (n.operands[k] < 0) continue;
      std::string const of = name_of(n.operands[k]);
      int const part = apply(factors[k], at, k, g, true, "g_" + of, "cotangent of " + of);
      if (factors[k] == factor::norm) program_.stages.back().instructions.back().partials = norm_partials(n);
      add_cotangent(n.operands[k], part);
    }
  }

  void collect_gradients(int at, int g) {
    node const& n = node_at(at);
    int const x = n.operands[0] < 0 ? -1 : primal_[static_cast<std::size_t>(n.operands[0])];
    if (int const weight = parameters_.find(n, role::weight); weight >= 0 && n.operation == op::linear) {
      program_.stages[0].sums.push_back({weight, keep(x), keep(g)});
    }
    if (int const bias = parameters_.find(n, role::bias); bias >= 0 && n.operation == op::linear)
      program_.add({.what = code::column_sums, .node = at, .inputs = {g}, .partials = {partial(bias)}});
    if (int const itself = parameters_.find(n, role::itself); itself >= 0)
      program_.add({.what = n.operation == op::scalar_multiple ? code::dot : code::column_dots,
                    .node = at,
                    .inputs = {x, g},
                    .partials = {partial(itself)}});
  }

  std::vector<int> norm_partials(node const& n) {
    int const weight = parameters_.find(n, role::weight);
    int const bias = parameters_.find(n, role::bias);
    return {weight < 0 ? -1 : partial(weight), bias < 0 ? -1 : partial(bias)};
  }

  /// This tile's share of a vector's gradient, one for each parameter.
  int partial(int parameter) {
    auto const [known, fresh] = partials_.try_emplace(parameter, -1);
    if (fresh) {
      parameter_tensor const& tensor = parameters_[parameter];
      axis_value const width = tensor.shape.empty() ? axis_value{"", 1} : tensor.shape[0];
      known->second = make(0, width, names_("gradient_" + tensor.member), "this tile's share", home::partial);
      program_.stages[0].sums.push_back({parameter, known->second, -1});
    }
    return known->second;
  }

  int keep(int at) {
    value& owner = program_[program_.base_of(at)];
    if (owner.place == home::tile) owner.place = home::kept;
    return at;
  }

  parameter_list const& parameters_;
  std::vector<int> cotangent_;
  std::map<int, int> partials_;
  std::map<int, int> log_sums_;            // of each attention: its row statistics
  std::map<int, std::vector<int>> parts_;  // of a value used by its columns: their cotangents
};

}  // namespace

program lower_vjp(graph_view const& graph, parameter_list const& parameters) { return vjp_lowering(graph, parameters).run(); }

}  // namespace residua::codegen
