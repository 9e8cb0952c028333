#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// A file to be written, by its name in the output folder.
struct generated_file {
  std::string name;
  std::string content;
};

/// <block>.hpp: parameters, kernel, and what the block is.
std::string emit_header(block_plan const& block, options const& chosen);
/// <block>.tiles.hpp: the tile programs, templates over the instruction set and the element type.
std::string emit_tiles(block_plan const& block, options const& chosen);
/// <block>.cpp: packing, the loops over tiles, the choice of the instruction set.
std::string emit_source(block_plan const& block, options const& chosen);
/// <block>.<set>.cpp: the tile programs, compiled for one instruction set.
std::string emit_instruction_set(block_plan const& block, options const& chosen, std::string const& set);
/// <block>.jacobian.txt, .tex and .json
std::vector<generated_file> emit_jacobian(block_plan const& block);

/// The name of a stage's function: forward where there is one stage, forward_0, forward_1, ... where there are more.
std::string stage_name(tile_program const& tile, std::string const& program, std::size_t at);

/// A program's arguments and results as function parameters, in one order everywhere: `Real const* x, Real* y, `.
std::string pointer_list(tile_program const& tile);

/// Every file of a block.
std::vector<generated_file> emit_block(block_plan const& block, options const& chosen);

/// The extent of an axis in emitted code: 768, or e.d where it is chosen at run time.
std::string extent(axis_value const& axis, std::string const& from = "e");

/// A comment's (tokens, d = 768).
std::string shape_comment(std::string const& rows, axis_value const& axis);

}  // namespace residua::codegen
