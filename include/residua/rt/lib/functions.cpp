// The choice among the tables of the instruction sets. RESIDUA_COMPILED_SETS lists those that the library has.
#include <residua/rt/kernels/functions.hpp>

#include <stdexcept>

namespace residua::rt {

namespace {

using enum instruction_set;
constexpr instruction_set compiled[] = {RESIDUA_COMPILED_SETS};

template <class Real, std::size_t... I>
functions<Real> const& among(instruction_set set, std::index_sequence<I...>) {
  functions<Real> const* found = nullptr;
  ((compiled[I] == set ? static_cast<void>(found = &functions_for<compiled[I], Real>()) : static_cast<void>(0)), ...);
  if (!found)
    throw std::runtime_error("residua: the kernels were not compiled for the instruction set " + std::string(name(set)));
  return *found;
}

}  // namespace

std::span<instruction_set const> compiled_instruction_sets() { return compiled; }

template <class Real>
functions<Real> const& functions_for(instruction_set set) {
  return among<Real>(set, std::make_index_sequence<std::size(compiled)>{});
}

template functions<float> const& functions_for<float>(instruction_set);
template functions<double> const& functions_for<double>(instruction_set);

}  // namespace residua::rt
