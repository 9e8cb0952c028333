#pragma once
#include <residua/graph/graph.hpp>
#include <string>
#include <vector>

namespace residua::codegen {

/// A block to generate: the C++ identifier that names its header and namespace, and its graph.
struct entry {
  std::string name;
  graph::graph_view graph;
};

/// The generator's main program, which residua_add_kernels builds around a user's header:
///   generator --library my_kernels --output DIR [--scalars float double] [--instruction-sets baseline avx2 avx512]
/// Plans and emits all blocks first and writes then, each file whole and only where it changed; on an error it
/// prints one line and writes nothing. Returns the exit status.
int run(int argc, char const* const* argv, std::vector<entry> const& blocks);

}  // namespace residua::codegen
