// The kernels compiled for the instruction set baseline.
#include "kernel_table_of.hpp"

namespace residua::test {

template <class Real>
kernel_table<Real> baseline_kernels() {
  kernel_table<Real> table{};
  table.set = rt::instruction_set::baseline;
  fill<rt::baseline>(table);
  return table;
}

template kernel_table<float> baseline_kernels();
template kernel_table<double> baseline_kernels();

}  // namespace residua::test
