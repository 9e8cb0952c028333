#pragma once
#include <residua/codegen/parameter_tree.hpp>
#include <residua/codegen/targets/target.hpp>

namespace residua::codegen {

/// The struct `parameters` with its parts, and for_each over its tensors. Parts are named by the path to them, in a scope of
/// their own; inside a struct all types are written from the global scope, so that no member hides one.
/// Throws std::invalid_argument where a name is a macro.
std::string emit_parameters(block_plan const& block, options const& chosen, parameter_tree const& tree);

/// The struct `extents` of the widths that are chosen at run time, or nothing.
std::string emit_extents(block_plan const& block);

}  // namespace residua::codegen
