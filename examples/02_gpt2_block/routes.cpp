// What the norm's place does to the gradient's route.
#include "loaded.hpp"

#include <cstdio>
#include <iostream>
#include <vector>

namespace {

/// |J^T g| of `layers` of the block in a row at x, for a g of length 1.
template <class Loaded>
double pulled_back(Loaded const& block, stream const& x, int layers) {
  std::vector<stream> streams{x};
  for (int i = 1; i < layers; ++i) streams.push_back(block.kernel.forward(streams.back()));
  stream g = unit_noise(x, 2);
  for (int i = layers; i > 0; --i) g = block.kernel.vjp(streams[static_cast<std::size_t>(i) - 1], g).x;
  return length(g);
}

}  // namespace

void print_routes(pre_block const& pre, post_block const& post, stream const& x) {
  std::cout << "what the norm's place does to the gradient's route: length of J^T g, for a g of length 1\n"
            << "  stream                                       pre_norm  post_norm\n";
  auto row = [&](char const* at, stream const& from, int layers) {
    std::printf("  %-42s%11.4f%11.4f\n", at, pulled_back(pre, from, layers), pulled_back(post, from, layers));
  };
  row("x", x, 1);
  row("4 x", times(4, x), 1);
  row("16 x", times(16, x), 1);
  row("x, through 12 blocks", x, 12);
  row("16 x, through 12 blocks", times(16, x), 12);
  std::cout << "  pre_norm keeps an I whatever the stream's size; J_ln_1 in post_norm's route divides by it\n";
}
