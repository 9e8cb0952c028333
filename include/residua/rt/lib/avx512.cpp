// The kernels of avx512.
#include <residua/rt/kernels/table.hpp>

namespace residua::rt {

template functions<float> const& functions_for<instruction_set::avx512, float>();
template functions<double> const& functions_for<instruction_set::avx512, double>();

}  // namespace residua::rt
