#pragma once
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// Moves pointwise operations into the product that they follow: bias, activation, residual addition, gate.
///
/// Requires: single assignment, instructions in order, stages split.
/// Leaves: the same values; a product's epilogue reads only values that are finished before the product starts.
void fuse_epilogues(program& p);

}  // namespace residua::codegen
