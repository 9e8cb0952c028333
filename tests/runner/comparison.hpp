// A random block on the runner against the interpreter, everything that a kernel computes.
#pragma once

#include "random_block.hpp"

#include <residua/codegen/block_plan.hpp>
#include <residua/rt/core/instruction_set.hpp>

#include <memory>
#include <string>
#include <vector>

namespace residua::runner_test {

/// A kernel is built for one instruction set and one scalar.
struct configuration {
  rt::instruction_set set = rt::instruction_set::baseline;
  bool single = false;  // float
};

/// All that the machine can run and the package was compiled for.
std::vector<configuration> all_configurations();
std::string described(configuration const& c);

/// How sharp the comparisons were: of each tensor, the largest bound in units of the largest magnitude.
struct sharpness {
  std::size_t sharp = 0;  // below 1e-3
  std::size_t dull = 0;
  std::size_t vacuous = 0;  // above 1, or infinite
  void add(sharpness const& other) { sharp += other.sharp, dull += other.dull, vacuous += other.vacuous; }
};

struct outcome {
  std::vector<std::string> problems;
  sharpness seen;
  bool stepped = false;
  bool padded = false;
  bool dense = false;
  bool with_nan = false;
  bool threads = false;
};

/// Forward, JVP, VJP by streams and parameters; and for some blocks the dense Jacobian, decoding, padding, NaN in one token,
/// and several threads against one. All numbers come from `seed`.
outcome compare(random_graph::random_block const& block, std::shared_ptr<codegen::block_plan const> const& plan,
                configuration const& on, std::uint64_t seed);

}  // namespace residua::runner_test
