// Reading and writing parameters, compiled once.
#include <residua/rt/io/parameters_definitions.hpp>

namespace residua::rt {

template void load_parameters<float>(std::string const&, std::span<parameter_slot<float> const>);
template void load_parameters<double>(std::string const&, std::span<parameter_slot<double> const>);
template void save_parameters<float>(std::string const&, std::span<parameter_slot<float> const>);
template void save_parameters<double>(std::string const&, std::span<parameter_slot<double> const>);

}  // namespace residua::rt
