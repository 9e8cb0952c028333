// The forms in which a block is written: what each is called, which files it writes, and how.
#pragma once
#include <residua/codegen/block_plan.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace residua::codegen {

/// What the caller of the generator chooses.
struct options {
  std::string library;                        // the namespace and folder of the headers: my_kernels
  std::vector<std::string> scalars;           // float, double
  std::vector<std::string> instruction_sets;  // baseline, avx2, avx512
};

/// A file to be written, by its name in the output folder.
struct generated_file {
  std::string name;
  std::string content;
};

/// One form.
struct target {
  std::string_view name;
  std::vector<std::string_view> endings;  // of its files, behind the block's name
  /// The contents of these files, in their order.
  std::vector<std::string> (*emit)(block_plan const& block, options const& chosen);
};

/// All targets. What is added here is written by the generator and known to residua_add_kernels.
std::span<target const> all_targets();

/// The files of one target, or of all, by name.
std::vector<std::string> files_of(target const& form, std::string_view block);
std::vector<generated_file> emit(target const& form, block_plan const& block, options const& chosen);
std::vector<generated_file> emit_block(block_plan const& block, options const& chosen);

}  // namespace residua::codegen
