#pragma once
#include <residua/codegen/targets/cpp/names.hpp>

namespace residua::codegen {

/// The function of a stage: its values, then a comment and a call for each instruction.
///   void forward_0(rt::tile<Real> const& t) { ... }
std::string emit_stage(block_plan const& block, source_names& names, named_program const& program, std::size_t at);

/// The function that adds a tile's gradients.
///   void vjp_1_sums(rt::tile<Real> const& t, rt::gradient_sums<Real> const& into, rt::index part, rt::index parts) { ... }
std::string emit_sums(block_plan const& block, source_names& names, named_program const& program, std::size_t at);

/// The nodes of the attentions in a stage, whose scratch it needs.
std::vector<int> attentions_of(stage const& at);

}  // namespace residua::codegen
