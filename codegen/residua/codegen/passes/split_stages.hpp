#pragma once
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// Cuts a program where an attention needs keys and values of all tokens, and where the layer of a stack changes. An instruction
/// runs in the first stage in which all that it reads is there, or where its results are first needed if it reads nothing but
/// cotangents that come in; what passes from a stage to a later one lives for all tokens (home::whole).
///
/// Requires: one stage, instructions in order, with their layers.
/// Leaves: single assignment; stages of one token space and one layer each; a share of a gradient for each stage that adds to it.
/// Throws std::invalid_argument where tokens of two streams are combined otherwise than by an attention.
void split_stages(program& p);

}  // namespace residua::codegen
