#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// A lowered program, staged, fused and rolled: what is left is to give it memory. `block`: its graph, facts, parameters and
/// attentions are there.
program schedule(program lowered, block_plan const& block);

/// A scheduled program with its memory, as assign_memory gives it.
tile_program with_memory(program scheduled, block_plan const& block, std::vector<cached_value>& cached);

}  // namespace residua::codegen
