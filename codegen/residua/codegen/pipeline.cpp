#include <residua/codegen/check_program.hpp>
#include <residua/codegen/passes/assign_memory.hpp>
#include <residua/codegen/passes/fuse_epilogues.hpp>
#include <residua/codegen/passes/roll_layers.hpp>
#include <residua/codegen/passes/split_stages.hpp>
#include <residua/codegen/pipeline.hpp>

namespace residua::codegen {

program schedule(program lowered, block_plan const& block) {
  check_program(lowered, form::lowered);
  split_stages(lowered);
  check_program(lowered, form::staged);
  fuse_epilogues(lowered);
  check_program(lowered, form::staged);
  roll_layers(lowered, block);
  check_program(lowered, form::staged);
  return lowered;
}

tile_program with_memory(program scheduled, block_plan const& block, std::vector<cached_value>& cached) {
  tile_program made = assign_memory(std::move(scheduled), block, cached);
  check_memory(made);
  return made;
}

}  // namespace residua::codegen
