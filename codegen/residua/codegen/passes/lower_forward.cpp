#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

class forward_lowering : public lowering {
 public:
  using lowering::lowering;

  program run() {
    for (int at = 0; at < graph_.size(); ++at)
      if (is_needed(at)) compute(at);
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k)
      deliver(primal(graph_.outputs[k]), graph_.outputs[k], output_name(k), port_of(port::kind::value, k));
    return std::move(program_);
  }
};

}  // namespace

program lower_forward(graph_view const& graph, graph_facts const& facts) { return forward_lowering(graph, facts).run(); }

}  // namespace residua::codegen
