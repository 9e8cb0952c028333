#pragma once
#include <map>
#include <residua/codegen/passes/assign_slots.hpp>
#include <residua/codegen/parameter_list.hpp>
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// What the caller of the generator chooses.
struct options {
  std::string library;                        // the namespace and folder of the headers: my_kernels
  std::vector<std::string> scalars;           // float, double
  std::vector<std::string> instruction_sets;  // baseline, avx2, avx512
};

/// A program with the tile buffers of each stage.
struct tile_program {
  program code;
  std::vector<std::vector<slot>> buffers;
};

/// A value of the forward program that a cache keeps: keys or values of an attention.
struct cached_value {
  int value = -1;
  std::int64_t width = 0;
  std::int64_t window = 0;  // of the attentions that read it; 0: all tokens
  bool of_memory = false;
  std::string name{};  // under which attention reads it: this call's own, or the cache's
};

/// One block, lowered and scheduled: all that the emitters read.
struct block_plan {
  std::string name;  // the C++ identifier: header, namespace
  graph_view graph;
  parameter_list parameters;
  std::vector<axis_value> run_time_widths;                        // members of the generated `extents`
  std::vector<std::pair<axis_value, axis_value>> renamed_widths;  // of those, the pairs that must agree: new, old
  axis_value result_width;                                        // of y, under the name that its extent was given by
  tile_program forward;
  tile_program jvp;
  tile_program vjp;
  std::map<int, std::string> options{};  // of each attention and rotation: its constants' name
  std::map<int, std::string> layouts{};  // of each attention: the member that says how its tokens lie
  std::vector<cached_value> cached{};

  bool has_attention() const { return !layouts.empty(); }
  bool reads_memory() const;
  /// Whether the block can be computed token by token, with a cache.
  bool can_step() const;
  /// What a cache keeps of a value of a program, or null where it does not.
  cached_value const* cached_at(program const& code, int value) const;
  std::string const& options_of(int node) const { return options.at(node); }
  std::string const& layout_of(int node) const { return layouts.at(node); }
  /// The call that gives an attention's layout: of which stream's tokens to which's.
  std::string layout_between(int node) const;
};

/// lower -> fuse_epilogues -> assign_slots, with a check after each.
block_plan plan_block(std::string name, graph_view const& graph);

}  // namespace residua::codegen
