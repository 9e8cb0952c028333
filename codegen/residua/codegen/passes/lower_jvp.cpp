#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class jvp_lowering : public factor_application {
 public:
  jvp_lowering(graph_view const& graph, graph_facts const& facts)
      : factor_application(graph, facts), tangent_(graph.nodes.size(), -1) {}

  program run() {
    for (std::size_t k = 0; k < graph_.inputs.size(); ++k) {
      std::string const name = "d" + input_name(k);
      tangent(graph_.inputs[k]) = make(graph_.inputs[k], name, name, home::argument, port_of(port::kind::tangent, k));
    }
    for (int at = 0; at < graph_.size(); ++at)
      if (is_needed(at)) differentiate(at);
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) {
      int const output = graph_.outputs[k];
      deliver(primal(output), output, output_name(k), port_of(port::kind::value, k));
      deliver(tangent(output), output, "d" + output_name(k), port_of(port::kind::tangent, k));
    }
    return std::move(program_);
  }

 private:
  int& tangent(int at) { return tangent_[static_cast<std::size_t>(at)]; }

  /// Value and tangent of a node.
  void differentiate(int at) {
    work_for(at);
    node const& n = node_at(at);
    switch (calculus::kind_of(n)) {
      case kind::input:
      case kind::term: return;
      case kind::stopped: return compute(at);
      case kind::coupling: return attend(at);
      case kind::selection:
        compute(at);
        if (int const whole = tangent(n.operands[0]); whole >= 0)
          tangent(at) = make_columns(at, whole, n.first_feature, names_("d_" + name_of(at)), "its tangent");
        return;
      case kind::joining:
        compute(at);
        tangent(at) = join_operands(at, tangent_, names_("d_" + name_of(at)), "its tangent");
        return;
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
      case kind::rotation:
        compute(at);
        tangent(at) = tangent_of(at);
        return;
    }
  }

  /// Value and tangent of an attention, which share its weights.
  void attend(int at) {
    node const& n = node_at(at);
    std::vector<operand> inputs;
    auto read = [&](std::size_t k, int value) { inputs.push_back(k == 0 ? tile_of(value) : whole_of(value)); };
    for (std::size_t k = 0; k < n.operands.size(); ++k) read(k, primal(n.operands[k]));
    for (std::size_t k = 0; k < n.operands.size(); ++k) read(k, tangent_or_zero(n.operands[k]));
    int const o = primal_[static_cast<std::size_t>(at)] = make(at, name_of(at), meaning_of(at));
    int const d_o = tangent(at) = make(at, names_("d_" + name_of(at)), "its tangent");
    emit(opcode::attend_jvp, at, std::move(inputs), {o, d_o});
  }

  int tangent_or_zero(int at) {
    if (tangent(at) >= 0) return tangent(at);
    return emit(opcode::zero, -1, {}, {make(at, names_("d_" + name_of(at)), "0")});
  }

  /// The sum over the operands of factor times tangent.
  int tangent_of(int at) {
    node const& n = node_at(at);
    auto const& factors = calculus::rule_of(n).factors;
    auto operand = [&](std::size_t k) { return n.operands[k] < 0 ? -1 : tangent(n.operands[k]); };
    std::string const name = "d_" + name_of(at);
    int sum = -1;
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      int const dx = operand(k);
      if (dx < 0) continue;
      if (sum >= 0 && factors[k] == factor::negative) {
        sum = emit(opcode::subtract, at, {tile_of(sum), tile_of(dx)}, {make(at, names_(name), "its tangent")});
        continue;
      }
      int const part = apply(factors[k], at, k, dx, false, name, "its tangent");
      sum = sum < 0 ? part : emit(opcode::add, at, {tile_of(sum), tile_of(part)}, {make(at, names_(name), "its tangent")});
    }
    return sum;
  }

  std::vector<int> tangent_;
};

}  // namespace

program lower_jvp(graph_view const& graph, graph_facts const& facts) { return jvp_lowering(graph, facts).run(); }

}  // namespace residua::codegen
