#pragma once
#include <map>
#include <residua/calculus/text/expression.hpp>
#include <residua/codegen/passes/lower.hpp>

// What the three lowerings share; lower_forward.cpp, lower_jvp.cpp and lower_vjp.cpp include it.
namespace residua::codegen {

using calculus::factor;
using calculus::kind;
using calculus::role;

/// x, m, m_2, ...: the streams that a block reads; y, y_1, ...: those that it gives; g, g_1, ...: the cotangents of these.
std::string input_name(std::size_t k);
std::string output_name(std::size_t k);
std::string cotangent_name(std::size_t k);

/// The primal values of a program, its arguments and results, and names.
class lowering {
 public:
  lowering(graph_view const& graph, graph_facts const& facts);

 protected:
  /// What follows works for this node: its layer's.
  void work_for(int at) { layer_ = facts_.layer(at); }
  node const& node_at(int at) const { return graph_[at]; }
  bool is_needed(int at) const { return facts_.is_needed(at); }
  /// The value of a node that has been computed. A term has one for each time that it is asked for, so that none is kept from
  /// stage to stage.
  int primal(int at);
  static port port_of(port::kind is, std::size_t k) { return {is, static_cast<int>(k)}; }

  /// F_up: where a node stands.
  std::string path_of(int at) const;
  /// The name of a node's value: its path where it has one, otherwise its operation.
  std::string const& name_of(int at);
  /// Its expression, as the block's author could have written it.
  std::string meaning_of(int at) const;

  /// A value with the width and tokens of a node.
  int make(int at, std::string name, std::string meaning, home place = home::tile, port which = {});
  int make(int at, axis_value const& width, std::string name, std::string meaning, home place = home::tile, port which = {});
  /// The columns of a value from `first` on, as many as the node is wide.
  int make_columns(int at, int of, std::int64_t first, std::string name, std::string meaning);
  /// Adds an instruction and gives its first result.
  int emit(opcode what, int at, std::vector<operand> inputs, std::vector<int> results);
  /// Puts values side by side, each from its column on.
  int emit_join(int at, std::vector<operand> parts, std::vector<std::int64_t> columns, int into);
  /// What a node that joins features makes of its operands' values, or of their tangents; -1 where none of them has one.
  int join_operands(int at, std::vector<int> const& values, std::string name, std::string meaning);
  /// The column where operand k of such a node begins.
  std::int64_t first_column(int at, std::size_t k) const;

  /// Computes the value of a node from those of its operands.
  void compute(int at);
  /// The instruction that does so, where it is one.
  void emit_operation(int at, int into);

  /// Puts a value where the caller wants it: the value that ends there is written there at once, unless it lives
  /// elsewhere already (an argument, or the end of two results), and then it is copied; none (-1) is zero.
  void deliver(int value, int at, std::string name, port which);

  graph_view graph_;
  graph_facts const& facts_;
  program program_;
  std::vector<int> primal_;  // of each node: its value, -1 where it has none yet
  unique_names names_;
  layer_of layer_{};

 private:
  std::string wanted_name(int at) const;
  int computed(int at);
  void emit_sum(int at, int into);

  calculus::expression_text text_;
  std::map<int, std::string> node_names_;
};

/// One factor of the rule table, or its adjoint, applied to a value. Diagonal factors are symmetric.
class factor_application : public lowering {
 public:
  using lowering::lowering;

 protected:
  /// Throws std::logic_error for a factor that is not applied alone.
  int apply(factor which, int at, std::size_t k, int to, bool adjoint, std::string const& name, std::string const& meaning);
};

}  // namespace residua::codegen
