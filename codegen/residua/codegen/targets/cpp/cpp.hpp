// The C++ target: a light header, and a source with a block's tile functions and its tables.
#pragma once
#include <residua/codegen/targets/target.hpp>

namespace residua::codegen {

/// `<block>.hpp`: parameters, kernel, and what the block is: all that a program includes.
std::string emit_header(block_plan const& block, options const& chosen);

/// `<block>.cpp`: the tile functions, and the description by which the engine runs them.
std::string emit_source(block_plan const& block, options const& chosen);

}  // namespace residua::codegen
