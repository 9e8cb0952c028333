#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// Finds the equal layers of stacks, first to last or last to first, and keeps the stages of one turn in place of all.
///
/// Groups of stages in a row are equal when they agree instruction by instruction in all but their layer: values have the same
/// width and home, nodes the same attributes, and parameters and attentions are at one distance from turn to turn in the lists
/// of `block`. What is not equal stays as it is.
///
/// Requires: stages in the order in which they run, each of one layer; of `block` the graph, parameters and attentions.
/// Leaves: segments, which cover all stages; values of rolled stages are named without the layer's number.
void roll_layers(program& p, block_plan const& block);

}  // namespace residua::codegen
