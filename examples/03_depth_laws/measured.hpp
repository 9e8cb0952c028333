// The same figures measured: a stack is one layer's generated kernel, applied with other weights at each layer, forward and back.
#pragma once
#include "closed.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>
#include <vector>
#include <xtensor/xtensor.hpp>

namespace laws {

inline constexpr int sequences = 2, tokens = 8, width = 128, samples = 32, deepest = 32;

using stream = xt::xtensor<float, 3>;

inline double mean_square(auto const& values) {
  double sum = 0;
  for (float const v : values) sum += static_cast<double>(v) * v;
  return sum / static_cast<double>(values.size());
}

/// One draw of everything random, standard Gaussian; all placements see the same one.
struct draw {
  struct layer {
    std::vector<float> v, o, up, down;
  };
  std::vector<layer> layers;
  stream x = stream::from_shape({sequences, tokens, width}), dy = x;

  explicit draw(unsigned seed) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<float> gaussian;
    auto const fill = [&](auto& values) { std::generate(values.begin(), values.end(), [&] { return gaussian(bits); }); };
    fill(x);
    fill(dy);
    layers.resize(deepest);
    for (layer& each : layers)
      for (auto* matrix : {&each.v, &each.o, &each.up, &each.down}) {
        matrix->resize(width * width);
        fill(*matrix);
      }
  }
};

/// Sets one tensor of a layer: matrices of variance beta^2 / d, queries and keys 0, so that attention is the mean over tokens.
template <class Tensor>
void set(std::string_view path, Tensor& tensor, draw::layer const& from, constants const& at) {
  auto const matrix = [&](std::vector<float> const& values) {
    float const scale = static_cast<float>(at.beta / std::sqrt(width));
    std::transform(values.begin(), values.end(), tensor.data(), [&](float v) { return scale * v; });
  };
  auto const all = [&](double value) { std::fill_n(tensor.data(), tensor.size(), static_cast<float>(value)); };
  if (path.ends_with("v.weight")) matrix(from.v);
  else if (path.ends_with("o.weight")) matrix(from.o);
  else if (path.ends_with("up.weight")) matrix(from.up);
  else if (path.ends_with("down.weight")) matrix(from.down);
  else if (path == "alpha") all(at.alpha);
  else if (path == "lambda") all(at.lambda);
  else if (path.starts_with("gamma")) all(at.gamma);
  else all(0);
}

/// One stack of one draw.
template <template <class> class Kernel, class Parameters, class FinalNorm>
figures measured(placement p, int depth, draw const& from, FinalNorm const& final_norm) {
  std::vector<Kernel<float>> kernels;
  std::vector<stream> streams{from.x};
  Parameters parameters;
  for (int layer = 1; layer <= depth; ++layer) {
    for_each(parameters, [&](std::string_view path, auto& tensor) {
      set(path, tensor, from.layers[layer - 1], constants_of(p, layer, depth));
    });
    kernels.emplace_back(parameters);
    streams.push_back(kernels.back().forward(streams.back()));
  }

  stream dy = ends_in_norm(p) ? from.dy : final_norm.vjp(streams.back(), from.dy).x;
  double last_down = 0;
  for (int layer = depth; layer >= 1; --layer) {
    auto const g = kernels[layer - 1].vjp(streams[layer - 1], dy);
    if (layer == depth) last_down = mean_square(g.parameters.M.down.weight) / (sequences * tokens);
    dy = g.x;
  }
  return {mean_square(streams.back()), mean_square(dy), last_down};
}

}  // namespace laws
