// Parameters on disk: a folder with one NumPy .npy file for each parameter.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace residua::rt {

/// One parameter: its path in the block ("F.up.weight"), its shape (empty: a scalar), and where its elements are.
template <class Real>
struct parameter_slot {
  std::string path;
  std::vector<std::size_t> shape;
  Real* data;
};

/// Reads `<folder>/<path>.npy` for every slot. Every file is read and checked before anything is written: on an error,
/// nothing has changed. Fortran order is read correctly; no element type is converted.
/// Throws std::runtime_error, each message beginning "residua: " and naming the folder or the file: folder missing,
/// files missing, surplus .npy files, wrong element type, wrong shape, not a .npy file, truncated, corrupt.
template <class Real>
void load_parameters(std::string const& folder, std::span<parameter_slot<Real> const> slots);

/// Writes `<folder>/<path>.npy` for every slot; creates the folder. Throws std::runtime_error that names the file and the reason.
template <class Real>
void save_parameters(std::string const& folder, std::span<parameter_slot<Real> const> slots);

/// The text of a folder's name: a std::filesystem::path or anything that a std::string is made from.
template <class Path>
std::string path_text(Path const& folder) {
  if constexpr (requires {
                  { folder.string() } -> std::convertible_to<std::string>;
                })
    return folder.string();
  else return std::string(folder);
}

#if !defined(RESIDUA_HEADER_ONLY)
extern template void load_parameters<float>(std::string const&, std::span<parameter_slot<float> const>);
extern template void load_parameters<double>(std::string const&, std::span<parameter_slot<double> const>);
extern template void save_parameters<float>(std::string const&, std::span<parameter_slot<float> const>);
extern template void save_parameters<double>(std::string const&, std::span<parameter_slot<double> const>);
#endif

}  // namespace residua::rt

#if defined(RESIDUA_HEADER_ONLY)
#include <residua/rt/io/parameters_definitions.hpp>
#endif
