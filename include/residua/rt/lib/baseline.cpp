// The kernels of baseline.
#include <residua/rt/kernels/table.hpp>

namespace residua::rt {

template functions<float> const& functions_for<instruction_set::baseline, float>();
template functions<double> const& functions_for<instruction_set::baseline, double>();

}  // namespace residua::rt
