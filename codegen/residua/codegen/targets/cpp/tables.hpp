// The constant tables of a block's source: what it reads and gives, its parameters, and its programs as data.
#pragma once
#include <residua/codegen/targets/cpp/names.hpp>

namespace residua::codegen {

/// The enumerations of parameters and run-time widths, and the options of attentions and rotations, of those that are used.
std::string emit_enumerations(block_plan const& block, source_names const& names);

/// The enumeration of a program's matrices of all tokens.
std::string emit_whole_names(named_program const& program);

/// Streams, parameters, widths, attentions and what a cache keeps.
std::string emit_block_tables(block_plan const& block, source_names const& names, named_program const& forward);

/// A program's matrices, scratch, stages and segments.
std::string emit_program_tables(source_names& names, named_program const& program);

}  // namespace residua::codegen
