#pragma once
#include <residua/codegen/targets/target.hpp>

namespace residua::codegen {

/// The Jacobian for people and for programs: as text, LaTeX and JSON.
std::vector<std::string> emit_jacobian(block_plan const& block, options const& chosen);

}  // namespace residua::codegen
