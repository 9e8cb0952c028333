// What occurred in the plans that were compared.
#pragma once

#include <residua/codegen/block_plan.hpp>

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace residua::runner_test {

/// Counts every kind of instruction, home, part, segment and option, for each configuration of its own.
class coverage {
 public:
  explicit coverage(std::size_t configurations) : configurations_(configurations) {}

  void add(codegen::block_plan const& plan, std::size_t configuration);
  void add(std::string const& kind, std::size_t configuration);
  void add(coverage const& other);

  /// The kinds that must occur and did not, in some configuration.
  std::vector<std::string> missing() const;
  void print(std::ostream& out, std::vector<std::string> const& configurations) const;

 private:
  void count(codegen::tile_program const& program, std::string const& name, std::size_t configuration);
  void count(graph::node const& n, std::size_t configuration);

  std::size_t configurations_;
  std::map<std::string, std::vector<std::size_t>> seen_;
};

}  // namespace residua::runner_test
