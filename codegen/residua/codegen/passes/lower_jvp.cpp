#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class jvp_lowering : public factor_application {
 public:
  explicit jvp_lowering(graph_view const& graph) : factor_application(graph), tangent_(graph.nodes.size(), -1) {}

  program run() {
    tangent_[0] = make(0, "dx", "dx", home::tangent);
    if (has_memory(graph_)) tangent_[1] = make(1, "dm", "dm", home::memory_tangent);
    for (int at = 0; at < count(); ++at) {
      if (!is_needed(at) || node_at(at).operation == op::input) continue;
      if (node_at(at).operation == op::attend) {
        attend(at);
        continue;
      }
      compute(at);
      tangent_[static_cast<std::size_t>(at)] = tangent_of(at);
    }
    deliver(primal_[static_cast<std::size_t>(graph_.output())], home::output, "y", graph_.output());
    deliver(tangent_[static_cast<std::size_t>(graph_.output())], home::output_tangent, "dy", graph_.output());
    return std::move(program_);
  }

 private:
  /// Value and tangent of an attention, which share its weights.
  void attend(int at) {
    node const& n = node_at(at);
    std::vector<int> inputs;
    for (std::vector<int> const* values : {&primal_, &tangent_})
      for (int operand : n.operands) inputs.push_back((*values)[static_cast<std::size_t>(operand)]);
    int const o = primal_[static_cast<std::size_t>(at)] = make(at, name_of(at), meaning(at));
    int const d_o = tangent_[static_cast<std::size_t>(at)] = make(at, names_("d_" + name_of(at)), "its tangent");
    emit(code::attend_jvp, at, std::move(inputs), o);
    program_.stages.back().instructions.back().second = d_o;
  }

  /// The sum over the operands of factor times tangent.
  int tangent_of(int at) {
    node const& n = node_at(at);
    if (n.operation == op::columns)
      return make_columns(at, tangent_[static_cast<std::size_t>(n.operands[0])], names_("d_" + name_of(at)), "its tangent");
    auto const& factors = calculus::rule_of(n.operation).factors;
    auto operand = [&](std::size_t k) { return n.operands[k] < 0 ? -1 : tangent_[static_cast<std::size_t>(n.operands[k])]; };
    std::string const name = "d_" + name_of(at);
    if (n.operation == op::subtract && operand(0) >= 0 && operand(1) >= 0)
      return emit(code::subtract, at, {operand(0), operand(1)}, make(at, names_(name), "its tangent"));
    int sum = -1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (operand(k) < 0) continue;
      int const part = apply(factors[k], at, k, operand(k), false, name, "its tangent");
      sum = sum < 0 ? part : emit(code::add, at, {sum, part}, make(at, names_(name), "its tangent"));
    }
    return sum;
  }

  std::vector<int> tangent_;
};

}  // namespace

program lower_jvp(graph_view const& graph) { return jvp_lowering(graph).run(); }

}  // namespace residua::codegen
