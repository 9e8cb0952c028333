#pragma once
#include <map>
#include <residua/calculus/rules.hpp>
#include <string>
#include <vector>

namespace residua::codegen {

using graph::axis_value;
using graph::graph_view;
using graph::node;
using graph::op;

/// Where a value lives while a tile of rows is worked on.
enum class home : unsigned char {
  argument,  // given by the caller, for all tokens
  result,    // kept by the caller, for all tokens
  whole,     // for all tokens, from its stage to a later one
  tile,      // a buffer, reused once the value is dead
  held,      // a buffer of its own, until the weight gradients are summed
  partial,   // a vector: this tile's share of a parameter gradient
};

/// Which argument or result of a program a value is: what it is to which of the block's inputs or outputs.
struct port {
  enum class kind : unsigned char { value, tangent, cotangent, gradient };
  kind is = kind::value;
  int stream = 0;  // among the inputs, or the outputs for results and cotangents

  bool operator==(port const&) const = default;
};

/// Whether values of this home are matrices of all tokens, in the table of their program.
constexpr bool is_whole(home place) { return place == home::argument || place == home::result || place == home::whole; }

/// A matrix of one tile, rows x width; a partial is a vector of that width.
struct value {
  std::string name;     // as the emitted code calls it
  std::string meaning;  // what it is, for the comment beside it
  axis_value width;
  home place = home::tile;
  port at{};               // of an argument or a result
  int slot = -1;           // the buffer or partial of its stage, once assigned
  int tokens = 0;          // the token space of its rows
  int base = -1;           // of some columns of another value: that value, which is no columns itself
  std::int64_t first = 0;  // and the first of its columns
};

/// What an instruction does. Inputs and results are values; a node says which parameters and constants it reads.
enum class opcode : unsigned char {
  copy,                 // a
  zero,                 // 0
  multiply,             // a W (+ b, where the node has one and the primal is computed)
  multiply_transposed,  // a W^T
  norm,                 // N(a)
  norm_jvp,             // J_N at a, applied to b
  norm_vjp,             // J_N^T at a, applied to b; adds to the partials of the norm's parameters
  activate,             // f(a)
  slope,                // f'(a) .* b
  add,                  // a + b
  subtract,             // a - b
  scale,                // c a
  scale_by,             // alpha a
  scale_columns,        // v .* a
  hadamard,             // a .* b
  scale_rows,           // s a, s a number for each row
  row_dots,             // <a, b> of each row
  row_means,            // the mean of each row
  spread_means,         // g/d in each column of a row
  repeat,               // v in each row
  repeat_sequences,     // the row of its sequence, at each token: of C
  sum_sequences,        // the sum over each sequence's tokens: of G
  add_term,             // a + t, t a literal, a learned scalar or a learned vector
  subtract_term,        // a - t
  subtract_from_term,   // t - a
  column_sums,          // adds the columns' sums of a to a partial
  column_dots,          // adds the columns' sums of a .* b to a partial
  sum,                  // adds the sum of a to a partial
  dot,                  // adds the sum of a .* b to a partial
  join,                 // columns of other values, side by side; zero between them
  rope,                 // R a
  rope_transposed,      // R^T a
  attend,               // o, and the rows' softmax sums where asked for: of q, K, V
  attend_jvp,           // o, do: of q, K, V, dq, dK, dV
  attend_dots,          // <go, o> per head: of o, go
  attend_vjp_queries,   // gq: of q, K, V, sums, dots, go
  attend_vjp_keys,      // gk, gv: of k, v, Q, SUMS, DOTS, GO
};

/// How an instruction reads a value: the rows of its own tile, or those of all tokens (capitals above).
enum class access : unsigned char { tile, whole };

struct operand {
  int value = -1;
  access how = access::tile;

  bool operator==(operand const&) const = default;
};

constexpr operand tile_of(int value) { return {value, access::tile}; }
constexpr operand whole_of(int value) { return {value, access::whole}; }

/// The layer of a stack that something belongs to: the outermost stack's scope and the layer's number; -1: of none.
struct layer_of {
  int stack = -1;
  int layer = -1;

  auto operator<=>(layer_of const&) const = default;
};

/// A pointwise operation done to a product before it is stored.
struct epilogue_part {
  opcode what = opcode::add;
  int node = -1;
  int other = -1;         // the value it reads beside the product; of `keep`: the value it writes
  bool reversed = false;  // other - product
  bool keep = false;      // writes the product to `other` and goes on

  bool operator==(epilogue_part const&) const = default;
};

struct instruction {
  opcode what = opcode::copy;
  int node = -1;  // -1: none; of scale: the factor is -1
  std::vector<operand> inputs{};
  std::vector<int> results{};
  std::vector<int> partials{};  // that it adds to: of norm_vjp one for each role that its rule lists, -1 where the node has none
  std::vector<epilogue_part> epilogue{};
  std::vector<std::int64_t> columns{};  // of join: where each input's start
  bool with_bias = false;
  layer_of layer{};  // that it works for

  bool operator==(instruction const&) const = default;
};

/// gw += a^T b, once all tiles of a round have their cotangents; or v += partial.
struct gradient_sum {
  int parameter = -1;  // of the block's list
  int a = -1;
  int b = -1;  // -1: a is a partial
  layer_of layer{};

  bool operator==(gradient_sum const&) const = default;
};

/// Instructions that run tile by tile; a stage starts when the one before has done all its tiles. No stage has
/// instructions of two layers.
struct stage {
  int tokens = 0;  // whose rows
  layer_of layer{};
  std::vector<instruction> instructions{};
  std::vector<gradient_sum> sums{};
};

/// Stages [first, first + size) in a row, `times` times: equal layers. The stages are those of the first turn; what a later
/// turn has in place of a value, node or parameter of the first stands in these lists, where it is another one.
struct segment {
  std::size_t first = 0;
  std::size_t size = 1;
  int times = 1;
  std::map<int, std::vector<int>> values{};  // of each: [turn]
  std::map<int, std::vector<int>> nodes{};
  std::map<int, std::vector<int>> parameters{};

  static int in_turn(std::map<int, std::vector<int>> const& list, int of_first, int turn) {
    auto const found = list.find(of_first);
    return found == list.end() ? of_first : found->second[static_cast<std::size_t>(turn)];
  }
};

/// Straight-line stages. Single assignment: every value is written by one instruction.
struct program {
  std::vector<value> values;
  std::vector<stage> stages = std::vector<stage>(1);
  std::vector<segment> segments{};  // once layers are rolled: all stages, in the order in which they run

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
    while ((*this)[at].base >= 0) at = (*this)[at].base;
    return at;
  }
  value const& operator[](int at) const { return values[static_cast<std::size_t>(at)]; }
  value& operator[](int at) { return values[static_cast<std::size_t>(at)]; }
};

/// The values that an instruction reads and writes, its epilogue included.
std::vector<operand> reads_of(instruction const& i);
std::vector<int> writes_of(instruction const& i);

/// All stages in the order in which they run: those of a segment once for each turn, with that turn's values and nodes.
std::vector<stage> expanded(program const& p);

}  // namespace residua::codegen
