// Which kernels a block can run on: those of the instruction sets that it is built for.
#pragma once

#include <residua/rt/kernels/functions.hpp>

#include <array>

namespace residua::rt {

/// Naming them links their tables, and no others. A header-only program has the one set that it is compiled for, whatever is
/// named.
template <instruction_set... Sets>
struct kernel_choice {
#if defined(RESIDUA_HEADER_ONLY)
  static constexpr std::array sets{compiled_instruction_set};
#else
  static constexpr std::array sets{Sets...};
#endif

  /// The kernels of one of `sets`.
  template <class Real>
  static functions<Real> const& of([[maybe_unused]] instruction_set set) {
#if defined(RESIDUA_HEADER_ONLY)
    return functions_for<compiled_instruction_set, Real>();
#else
    functions<Real> const* found = &functions_for<instruction_set::baseline, Real>();
    ((set == Sets ? static_cast<void>(found = &functions_for<Sets, Real>()) : static_cast<void>(0)), ...);
    return *found;
#endif
  }
};

}  // namespace residua::rt
