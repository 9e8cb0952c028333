#pragma once
#include <residua/calculus/rules.hpp>
#include <string>
#include <vector>

namespace residua::codegen {

using dsl::axis_value;
using dsl::graph_view;
using dsl::node;
using dsl::op;

/// Where a value lives while a tile of rows is worked on.
enum class home {
  input,           // x
  tangent,         // dx
  cotangent,       // g, the gradient that comes in
  output,          // y
  output_tangent,  // dy
  input_gradient,  // gx
  tile,            // scratch, reused once the value is dead
  kept,            // scratch, until the weight gradients are summed
  partial,         // a vector in scratch: this tile's share of a parameter gradient
};

/// A matrix of one tile, rows x width; a partial is a vector of that width.
struct value {
  std::string name;     // as the emitted code calls it
  std::string meaning;  // what it is, for the comment beside it
  axis_value width;
  home place = home::tile;
  int slot = -1;  // the tile buffer, once assigned
};

/// What an instruction does. Inputs and result are values; a node says which parameters and constants it reads.
enum class code {
  copy,                 // a
  zero,                 // 0
  multiply,             // a W (+ b, where the node has one and the primal is computed)
  multiply_transposed,  // a W^T
  norm,                 // N(a)
  norm_jvp,             // J_N at a, applied to b
  norm_vjp,             // J_N^T at a, applied to b; adds to the partials of weight and bias
  activate,             // f(a)
  slope,                // f'(a) .* b
  add,                  // a + b
  subtract,             // a - b
  scale,                // c a
  scale_by,             // alpha a
  scale_columns,        // v .* a
  hadamard,             // a .* b
  column_sums,          // adds the columns' sums of a to a partial
  column_dots,          // adds the columns' sums of a .* b to a partial
  dot,                  // adds the sum of a .* b to a partial
};

/// A pointwise operation done to a product before it is stored.
struct epilogue_part {
  code what = code::add;
  int node = -1;
  int other = -1;         // the value it reads beside the product; of `keep`: the value it writes
  bool reversed = false;  // other - product
  bool keep = false;      // writes the product to `other` and goes on
};

struct instruction {
  code what = code::copy;
  int node = -1;
  std::vector<int> inputs{};
  int result = -1;
  std::vector<int> partials{};  // that a norm_vjp, dot, column_sums or column_dots adds to
  std::vector<epilogue_part> epilogue{};
  bool with_bias = false;
};

/// gw += a^T b, once all tiles of a round have their cotangents; or v += partial.
struct gradient_sum {
  int parameter = -1;  // of the block's list
  int a = -1;
  int b = -1;  // -1: a is a partial
};

/// A straight-line program on one tile of rows. Single assignment: every value is written by one instruction.
struct program {
  std::vector<value> values;
  std::vector<instruction> instructions;
  std::vector<gradient_sum> sums;

  int add_value(value made) {
    values.push_back(std::move(made));
    return static_cast<int>(values.size()) - 1;
  }
  instruction& add(instruction made) {
    instructions.push_back(std::move(made));
    return instructions.back();
  }
  value const& operator[](int at) const { return values[static_cast<std::size_t>(at)]; }
  value& operator[](int at) { return values[static_cast<std::size_t>(at)]; }
};

}  // namespace residua::codegen
