// The kernels compiled for the instruction set avx512.
#include "kernel_table_of.hpp"

namespace residua::test {

template <class Real>
kernel_table<Real> avx512_kernels() {
  kernel_table<Real> table{};
  table.set = rt::instruction_set::avx512;
  fill<rt::avx512>(table);
  return table;
}

template kernel_table<float> avx512_kernels();
template kernel_table<double> avx512_kernels();

}  // namespace residua::test
