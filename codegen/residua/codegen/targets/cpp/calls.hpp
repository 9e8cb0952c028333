#pragma once
#include <residua/codegen/targets/cpp/names.hpp>

namespace residua::codegen {

/// An instruction: a comment that says what comes out, and the call of the kernel.
///   // ln_1 = ln_1(x)
///   t.kernels.normalise(rt::norm::layer_norm, x_, {{t.vector(p::ln_1_weight_), t.vector(p::ln_1_bias_)}, 0, 1e-05}, ln_1_);
std::string emit_call(block_plan const& block, source_names& names, named_program const& program, stage_memory const& memory,
                      instruction const& i);

/// Where a parameter stands in the list: p::F_up_weight_, in the layers of a stack p::h_0_N_weight_ + 12 * t.layer
std::string parameter_place(source_names& names, stage_memory const& memory, int parameter);

/// Whether a kernel works in an attention's scratch.
bool needs_attention_scratch(opcode what);

}  // namespace residua::codegen
