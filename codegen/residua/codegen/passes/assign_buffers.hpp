#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// Gives the values of a stage's tiles their scratch. Two tile values share a buffer when the first is dead before the second is
/// written and their widths agree; held ones have their own, and so have partials.
///
/// Requires: values in single assignment, with homes. Leaves: value::slot of what the stage writes and adds to; returns the
/// widths.
stage_memory assign_buffers(program& p, stage const& within);

}  // namespace residua::codegen
