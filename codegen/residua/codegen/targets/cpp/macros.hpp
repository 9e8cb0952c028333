#pragma once
#include <string_view>

namespace residua::codegen {

/// Whether a name is a macro of the standard headers or of the compilers: p.F.errno.weight cannot be spelled in C++.
bool is_macro(std::string_view name);

}  // namespace residua::codegen
