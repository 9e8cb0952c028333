#include <residua/codegen/passes/roll_layers.hpp>

namespace residua::codegen {

void roll_layers(program& p, block_plan const&) {
  for (std::size_t at = 0; at < p.stages.size(); ++at) p.segments.push_back({.first = at});
}

}  // namespace residua::codegen
