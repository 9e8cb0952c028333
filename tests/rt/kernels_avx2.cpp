// The kernels compiled for the instruction set avx2.
#include "kernel_table_of.hpp"

namespace residua::test {

template <class Real>
kernel_table<Real> avx2_kernels() {
  kernel_table<Real> table{};
  table.set = rt::instruction_set::avx2;
  fill<rt::avx2>(table);
  return table;
}

template kernel_table<float> avx2_kernels();
template kernel_table<double> avx2_kernels();

}  // namespace residua::test
