// The two blocks with their weights.
#pragma once
#include "blocks.hpp"
#include "figures.hpp"

#include <filesystem>
#include <gpt2/post_norm.hpp>
#include <gpt2/pre_norm.hpp>
#include <string>
#include <vector>

/// One block with its weights, and the same for the interpreter in double.
template <template <class> class Kernel, class Parameters, class Block>
struct loaded {
  std::string name;
  Parameters p;
  Kernel<float> kernel;
  reference::problem<double> exact;

  loaded(std::filesystem::path const& folder, stream const& x, Block block)
      : name(Block::name), p(from(folder)), kernel(p), exact{block.view(), {{"B", x.shape()[0]}, {"T", x.shape()[1]}}} {
    for_each(p, [&](std::string_view path, auto const& tensor) {
      exact.weights.emplace(path, std::vector<double>(tensor.begin(), tensor.end()));
    });
    exact.inputs.emplace_back(x.begin(), x.end());
  }

 private:
  static Parameters from(std::filesystem::path const& folder) {
    Parameters p;
    p.load(folder);
    return p;
  }
};

using pre_block = loaded<gpt2::pre_norm::kernel, gpt2::pre_norm::parameters<float>, decltype(blocks::pre_norm)>;
using post_block = loaded<gpt2::post_norm::kernel, gpt2::post_norm::parameters<float>, decltype(blocks::post_norm)>;

// What is told about them, a file each.

/// Every step of the block with its shape and how many parameters it reads.
void print_ledger(graph::graph_view const& graph);
/// Forward, JVP and VJP with the gradients of all parameters, against the interpreter.
void print_agreement(pre_block const& pre, post_block const& post, stream const& x);
/// The length of a gradient that comes back through either block.
void print_routes(pre_block const& pre, post_block const& post, stream const& x);
/// How long forward and vjp take, beside the machine's limit.
void print_times(pre_block const& pre, post_block const& post, stream const& x);
