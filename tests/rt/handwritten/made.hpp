// Streams, parameters and kernels of the handwritten blocks.
#pragma once

#include "layered.hpp"
#include "reader.hpp"

#include <xtensor/xview.hpp>

#include <array>
#include <cmath>

namespace residua::test {

using rt::index;
using stream = rt::tensor<double, 3>;
using layered_parameters = handwritten::layered::parameters<double>;
using layered_kernel = handwritten::layered::kernel<double>;
using reader_parameters = handwritten::reader::parameters<double>;
using reader_kernel = handwritten::reader::kernel<double>;

inline stream noise(std::array<std::size_t, 3> shape, double seed) {
  stream x(shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(seed + 1.3 * static_cast<double>(i));
  return x;
}

/// Parameters that make a block do something.
template <class Parameters>
Parameters filled(Parameters p, double size) {
  double seed = 0;
  for_each(p, [&](std::string_view, auto& t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = size * std::cos(seed += 0.7);
  });
  return p;
}
inline layered_parameters layers_of(index d) { return filled(layered_parameters({.d = d, .n = d}), 0.3); }
inline reader_parameters reader_weights() { return filled(reader_parameters(), 0.6); }

/// The tokens [first, first + count) of each sequence.
inline stream tokens_of(stream const& x, std::size_t first, std::size_t count) {
  return xt::view(x, xt::all(), xt::range(first, first + count), xt::all());
}

}  // namespace residua::test
