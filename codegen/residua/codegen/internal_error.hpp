#pragma once
#include <stdexcept>
#include <string>

namespace residua::codegen {

/// A promise between passes is broken: a mistake of the generator's, not of the block's.
[[noreturn]] inline void internal_error(std::string const& what) { throw std::logic_error("residua: internal error: " + what); }

}  // namespace residua::codegen
