#pragma once
#include <residua/graph/graph.hpp>
#include <string>
#include <utility>
#include <vector>

namespace residua::codegen {

/// A block to generate: the C++ identifier that names its header and namespace, and its graph.
struct entry {
  std::string name;
  graph::graph_view graph;
};

template <class Block>
entry entry_of(std::string name, Block const& block) {
  constexpr bool is_block = requires { graph::graph_view(block.view()); };
  static_assert(is_block, "residua: BLOCKS names something that is no block");
  if constexpr (is_block) return {std::move(name), block.view()};
  else return {};
}

/// The generator's main program, which residua_add_kernels builds around a user's header:
///   generator --library my_kernels --output DIR --scalars float double --instruction-sets baseline avx2 avx512
/// Plans and emits all blocks first and writes then, each file whole and only where it changed; on an error it
/// prints one line and writes nothing. Returns the exit status.
int run(int argc, char const* const* argv, std::vector<entry> const& blocks);

}  // namespace residua::codegen
