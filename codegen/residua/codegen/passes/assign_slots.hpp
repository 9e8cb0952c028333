#pragma once
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// A tile buffer, rows x width.
struct slot {
  axis_value width;
};

/// Gives every value in a stage's scratch a buffer; two values share one when the first is dead before the second is
/// written and their widths agree. Kept values have their own.
///
/// Requires: single assignment. Leaves: `value::slot` set for values at home::tile; returns the buffers of each stage.
std::vector<std::vector<slot>> assign_slots(program& p);

/// Throws std::logic_error where a program breaks what the passes promise each other: single assignment, nothing read
/// before it is written or in another stage than it lives in, an epilogue that reads only finished values.
void check_program(program const& p);

}  // namespace residua::codegen
