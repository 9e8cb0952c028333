#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// The statements of one stage's function: a comment and a call for each instruction.
std::string emit_stage(block_plan const& block, program const& code, stage const& at);

/// A value of all tokens in a stage's function: all.A_k, or some columns of another.
std::string whole_of(program const& code, int value);

/// Whether an instruction needs an attention's scratch.
bool is_attention(code what);

/// Adds a value to a list, behind the one it is some columns of, if it is not there.
void add_with_base(program const& code, std::vector<int>& list, int value);

/// The values of a stage in the order of its instructions: those of its tile, arguments and results included.
std::vector<int> tile_values(program const& code, stage const& at);

}  // namespace residua::codegen
