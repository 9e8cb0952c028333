// How parameters are read and written; compiled into the package's library.
#pragma once

#include <residua/rt/io/folder.hpp>
#include <residua/rt/io/parameters.hpp>

namespace residua::rt {

namespace detail {

template <class Real>
inline constexpr npy_type npy_type_of{sizeof(Real) == 4 ? "<f4" : "<f8", sizeof(Real)};

template <class Real>
std::vector<byte_slot> byte_slots(std::span<parameter_slot<Real> const> slots) {
  std::vector<byte_slot> bytes;
  for (parameter_slot<Real> const& slot : slots)
    bytes.push_back({slot.path, slot.shape, reinterpret_cast<std::byte*>(slot.data)});
  return bytes;
}

}  // namespace detail

template <class Real>
void load_parameters(std::string const& folder, std::span<parameter_slot<Real> const> slots) {
  detail::load_folder(folder, detail::byte_slots(slots), detail::npy_type_of<Real>);
}

template <class Real>
void save_parameters(std::string const& folder, std::span<parameter_slot<Real> const> slots) {
  detail::save_folder(folder, detail::byte_slots(slots), detail::npy_type_of<Real>);
}

}  // namespace residua::rt
