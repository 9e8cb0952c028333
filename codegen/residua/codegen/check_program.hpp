#pragma once
#include <residua/codegen/block_plan.hpp>

namespace residua::codegen {

/// How far a program has come: of one stage, or cut so that what is read for all tokens is there.
enum class form : unsigned char { lowered, staged };

/// Throws std::logic_error where a program breaks what the passes promise each other, in the order in which its stages run,
/// turn by turn: as many inputs and results as each instruction takes; single assignment; nothing read before it is written or
/// in another stage than it lives in; every result written; stages of one token space; every stage in one segment.
void check_program(program const& p, form now);

/// Throws std::logic_error where memory is assigned wrongly: two values share a buffer while both are alive, or a partial or an
/// entry at all; a value, parameter or entry is not where the stage that reads it finds it, in each turn.
void check_memory(tile_program const& p);

}  // namespace residua::codegen
