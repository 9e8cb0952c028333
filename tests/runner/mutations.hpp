// Wrong plans: each is a mistake that a pass could make.
#pragma once

#include <residua/codegen/block_plan.hpp>
#include <residua/reference/problem.hpp>

#include <span>
#include <string_view>

namespace residua::runner_test {

struct mutation {
  std::string_view name;
  /// Makes the mistake somewhere in the plan; false where there is no place for it.
  bool (*make)(codegen::block_plan& plan, reference::noise& source);
};

std::span<mutation const> all_mutations();

}  // namespace residua::runner_test
