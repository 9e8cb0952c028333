// What the kernels compute with and no kernel shows by itself, behind function pointers as the kernels are.
#pragma once

#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/core/matrix.hpp>

namespace residua::test {

template <class Real>
struct register_functions {
  rt::instruction_set set;
  void (*exp)(rt::matrix<Real const> x, rt::matrix<Real> y);
  Real (*partial)(Real const* from, Real* to, rt::index count);  // copies count elements through one register, gives their sum
};

/// Defined in register_functions.cpp, which is compiled for each instruction set.
template <rt::instruction_set Set, class Real>
register_functions<Real> register_functions_for();

}  // namespace residua::test
