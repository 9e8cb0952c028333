// What every generated parameters struct is made of: tensors born at their shape, and a folder of .npy files.
#pragma once

#include <residua/rt/io/npy.hpp>
#include <residua/rt/interface/tensor.hpp>

#include <xtensor/xtensor.hpp>

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

namespace residua::rt {

template <class Real, std::size_t Rank>
using tensor = xt::xtensor<Real, Rank, xt::layout_type::row_major>;

/// A tensor of zeros: zeros<float>(768, 3072).
template <class Real, class... Extents>
tensor<Real, sizeof...(Extents)> zeros(Extents... extents) {
  std::array<std::size_t, sizeof...(Extents)> const shape{static_cast<std::size_t>(extents)...};
  return tensor<Real, sizeof...(Extents)>(shape, Real(0));
}

/// Layers of one kind, each made from the same extents.
template <class Layer, std::size_t Count, class Extents>
std::array<Layer, Count> layers(Extents const& e) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Layer, Count>{(static_cast<void>(I), Layer(e))...};
  }(std::make_index_sequence<Count>{});
}

/// The tensors of a parameters struct, for reading and writing files.
template <class Real, class Parameters>
std::vector<parameter_slot<Real>> slots_of(Parameters& p) {
  std::vector<parameter_slot<Real>> slots;
  for_each(p, [&](std::string_view path, auto& t) {
    slots.push_back({std::string(path), {t.shape().begin(), t.shape().end()}, const_cast<Real*>(t.data())});
  });
  return slots;
}

}  // namespace residua::rt
