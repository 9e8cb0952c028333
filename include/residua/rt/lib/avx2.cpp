// The kernels of avx2.
#include <residua/rt/kernels/table.hpp>

namespace residua::rt {

template functions<float> const& functions_for<instruction_set::avx2, float>();
template functions<double> const& functions_for<instruction_set::avx2, double>();

}  // namespace residua::rt
