#pragma once
#include <residua/calculus/rules.hpp>
#include <string>
#include <vector>

namespace residua::codegen {

using graph::axis_value;
using graph::graph_view;
using graph::node;
using graph::op;

/// Where a value lives while a tile of rows is worked on.
enum class home {
  input,           // x
  tangent,         // dx
  cotangent,       // g, the gradient that comes in
  output,          // y
  output_tangent,  // dy
  input_gradient,  // gx
  memory,          // m, the second stream, with tangent dm and gradient gm
  memory_tangent,
  memory_gradient,
  whole,    // for all tokens, from its stage to a later one
  tile,     // scratch, reused once the value is dead
  kept,     // scratch, until the weight gradients are summed
  partial,  // a vector in scratch: this tile's share of a parameter gradient
};

/// Which stream's tokens the rows of a value are: the block's own, or the memory's.
enum class rows_of { stream, memory };

/// A matrix of one tile, rows x width; a partial is a vector of that width.
struct value {
  std::string name;     // as the emitted code calls it
  std::string meaning;  // what it is, for the comment beside it
  axis_value width;
  home place = home::tile;
  int slot = -1;  // the tile buffer, once assigned
  rows_of rows = rows_of::stream;
  int base = -1;           // of some columns of another value: that value
  std::int64_t first = 0;  // and the first of its columns
};

/// Whether a value is an argument: there from the start, for all tokens.
constexpr bool is_argument(home place) {
  return place == home::input || place == home::tangent || place == home::cotangent || place == home::memory ||
         place == home::memory_tangent;
}
/// Whether a value is a result that the caller keeps.
constexpr bool is_result(home place) {
  return place == home::output || place == home::output_tangent || place == home::input_gradient ||
         place == home::memory_gradient;
}

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
  join,                 // columns of other values, side by side; zero between them
  rotate,               // R a
  rotate_back,          // R^T a
  attend,               // o, and the rows' log-sums where asked for: of q, K, V
  attend_jvp,           // o, do: of q, K, V, dq, dK, dV
  attend_dots,          // <go, o> per head: of o, go
  attend_vjp_queries,   // gq: of q, K, V, log-sums, dots, go
  attend_vjp_keys,      // gk, gv: of k, v, Q, LOG-SUMS, DOTS, GO
};

/// Whether an instruction reads its k-th input for all tokens and not for its tile's alone: those in capitals above.
constexpr bool reads_whole(code what, std::size_t k) {
  switch (what) {
    case code::attend:
    case code::attend_vjp_queries: return k == 1 || k == 2;
    case code::attend_jvp: return k != 0 && k != 3;
    case code::attend_vjp_keys: return k >= 2;
    default: return false;
  }
}

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
  int second = -1;              // of attend, attend_jvp and attend_vjp_keys
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

/// Instructions that run tile by tile; a stage starts when the one before has done all its tiles.
struct stage {
  rows_of rows = rows_of::stream;
  std::vector<instruction> instructions{};
  std::vector<gradient_sum> sums{};
};

/// Straight-line stages. Single assignment: every value is written by one instruction.
struct program {
  std::vector<value> values;
  std::vector<stage> stages = std::vector<stage>(1);

  int add_value(value made) {
    values.push_back(std::move(made));
    return static_cast<int>(values.size()) - 1;
  }
  /// Adds to the last stage.
  instruction& add(instruction made) {
    stages.back().instructions.push_back(std::move(made));
    return stages.back().instructions.back();
  }
  /// The value that owns the memory: the one a value is some columns of, or itself.
  int base_of(int at) const {
    while (values[static_cast<std::size_t>(at)].base >= 0) at = values[static_cast<std::size_t>(at)].base;
    return at;
  }
  value const& operator[](int at) const { return values[static_cast<std::size_t>(at)]; }
  value& operator[](int at) { return values[static_cast<std::size_t>(at)]; }
};

/// The values that an instruction reads and writes, its epilogue included.
std::vector<int> reads_of(instruction const& i);
std::vector<int> writes_of(instruction const& i);

}  // namespace residua::codegen
