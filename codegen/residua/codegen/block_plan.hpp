#pragma once
#include <residua/codegen/assign_slots.hpp>
#include <residua/codegen/parameter_list.hpp>
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// What the caller of the generator chooses.
struct options {
  std::string library;                        // the namespace and folder of the headers: my_kernels
  std::vector<std::string> scalars;           // float, double
  std::vector<std::string> instruction_sets;  // baseline, avx2, avx512
};

/// A program with its tile buffers.
struct tile_program {
  program code;
  std::vector<slot> buffers;
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
};

/// lower -> fuse_epilogues -> assign_slots, with a check after each.
block_plan plan_block(std::string name, graph_view const& graph);

}  // namespace residua::codegen
