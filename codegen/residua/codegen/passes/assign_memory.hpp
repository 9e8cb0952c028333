#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// Gives every value its memory: a buffer or partial of its stage (assign_buffers), or an entry of the table of what is there for
/// all tokens.
///
/// The table has, in this order, rows for arguments and results, as rt::block_description lists them;
/// for values between stages, those of a segment's turns in one row; and `part` and `seen` rows for what a stage reads that is
/// no entry, or no entry at one distance from turn to turn: columns, what a cache keeps, values of several rows.
///
/// Requires: segments; of `block` the graph, parameters and attentions. `cached`: the values that a cache keeps, empty for
/// programs without one.
/// Leaves: value::slot set for the values of first turns; everything that a stage reads in stage_memory; `cached` with entries.
tile_program assign_memory(program p, block_plan const& block, std::vector<cached_value>& cached);

}  // namespace residua::codegen
