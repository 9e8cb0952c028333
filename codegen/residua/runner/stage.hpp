// A stage of a plan as data that can be run.
#pragma once

#include <residua/codegen/block_plan.hpp>
#include <residua/rt/interface/block.hpp>

#include <vector>

namespace residua::runner {

using codegen::indexed;
using codegen::opcode;

/// Where a tile finds a matrix or a partial.
struct place {
  enum class kind : unsigned char { none, buffer, partial, rows, all };  // as the members of rt::tile
  kind is = kind::none;
  indexed at{};
  bool of_columns = false;  // columns [first, first + columns) of it
  rt::index first = 0;
  rt::width columns{};  // of a partial: its length
};

/// A parameter's place in the block's list; none: first is -1.
using parameter_place = indexed;

struct decoded_part {
  rt::epilogue_part<double>::step what{};
  rt::activation function{};
  double number = 0;
  parameter_place vector{-1};
  bool is_vector = false;  // of a term: no number
  place other{};
};

/// An instruction with all that it reads looked up.
struct decoded_instruction {
  opcode what = opcode::copy;
  std::vector<place> inputs{};
  std::vector<place> results{};
  std::vector<place> partials{};
  std::vector<decoded_part> epilogue{};
  std::vector<rt::index> columns{};  // of a join: where each input's start, then the width of the result
  parameter_place weight{-1};
  parameter_place vector{-1};  // a learned scalar or vector
  bool is_vector = false;      // of a term: no number
  rt::activation function{};
  double number = 0;  // a factor, an epsilon
  rt::norm norm{};
  std::vector<parameter_place> parameters{};  // of a norm
  double offset = 0;                          // of a norm's gain
  rt::index groups = 1;
  int tokens = 0;  // the space of a rotation, or of the sequences' tokens
  indexed layout{};
  rt::attention_options attention{};
  rt::rope_options rope{};
};

struct decoded_sum {
  parameter_place parameter{-1};
  rt::width rows{};  // of a matrix
  place a{};
  place b{};
};

/// What the functions of a stage_description point to.
struct decoded_stage {
  std::vector<decoded_instruction> instructions;
  std::vector<decoded_sum> sums;
  std::vector<rt::width> buffers;
  std::vector<rt::width> partials;
  std::vector<rt::attention_options> attentions;  // whose scratch it needs
};

decoded_stage decode(codegen::block_plan const& plan, codegen::tile_program const& program, std::size_t at);

/// An extent as the runtime is told it.
rt::width width_of(codegen::block_plan const& plan, graph::axis_value const& axis);

/// The functions of a stage_description whose data is a decoded_stage.
template <class Real>
void run(rt::tile<Real> const& t);
template <class Real>
void sum(rt::tile<Real> const& t, rt::gradient_sums<Real> const& into, rt::index part, rt::index parts);

}  // namespace residua::runner
