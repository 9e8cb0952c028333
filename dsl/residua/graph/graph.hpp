#pragma once
#include <array>
#include <cstddef>
#include <residua/activations.hpp>
#include <residua/graph/attention_value.hpp>
#include <residua/graph/shape.hpp>
#include <span>
#include <vector>

namespace residua::graph {

/// Every operation that a node of the graph can be. What each computes, and its derivative, stands in
/// <residua/calculus/rules.hpp>.
enum class op : unsigned char {
  input,
  add,
  subtract,
  constant_multiple,  // c x, c a literal
  scalar_multiple,    // alpha x, alpha a learned scalar
  vector_multiple,    // g .* x, g a learned vector over the feature axis
  hadamard,
  token_multiple,  // s x, s a number for each token: operand 0 is x, operand 1 is s
  renamed,
  constant,        // c at each token: a literal
  learned_scalar,  // alpha at each token
  learned_vector,  // v at each token
  stopped,         // x, through which nothing is trained
  at_each_token,   // the one token of a sequence, at each token of another stream
  mean,            // over the features: a number for each token
  inner,           // <a, b> over the features
  layer_norm,
  rms_norm,
  dyt,  // dynamic tanh
  linear,
#define RESIDUA_OPERATION(NAME) NAME,
  RESIDUA_ACTIVATIONS(RESIDUA_OPERATION)
#undef RESIDUA_OPERATION
      columns,  // some of the features, next to each other
  concat,       // the features of two or three values side by side
  rope,         // each head turned by its token's position
  attend,       // softmax(c q k^T + mask) v, per head
};

/// A parameter that a node reads: `.weight` and `.bias` of a norm or linear, `.alpha` of a norm, or the learned scalar or vector
/// itself.
enum class role : unsigned char { weight, bias, alpha, itself };

inline constexpr std::array every_role{role::weight, role::bias, role::alpha, role::itself};

/// What a parameter's path ends in, behind the name of its operation.
constexpr std::string_view suffix(role which) {
  switch (which) {
    case role::weight: return ".weight";
    case role::bias: return ".bias";
    case role::alpha: return ".alpha";
    case role::itself: return "";
  }
  throw "residua: no role";
}

/// One operation at one place of a block. Nodes stand in the order in which they are computed.
struct node {
  op operation = op::input;
  std::array<int, 3> operands{-1, -1, -1};  // nodes; -1: none
  int scope = 0;                            // the scope that it stands in; its own, of one that has parameters
  int tokens = 0;                           // the token space: whose tokens the rows are, whichever stream they came from
  int call = -1;                            // the innermost branch around the node
  shape_value shape{};
  // Attributes: what an operation has beside its operands. Each reads its own, the others stay as they are here.
  bool has_weight = false;                     // of a norm or linear
  bool has_bias = false;                       // of a norm or linear
  double epsilon = 0;                          // of a norm
  bool unit_offset = false;                    // of a norm: the gain is 1 + weight
  std::int64_t groups = 1;                     // of a norm or rope: the heads, each worked on alone, with one gain for all
  double factor = 1;                           // of a constant and a constant multiple
  double divisor = 0;                          // of a multiple written as a / divisor: that; 0: of any other
  std::string_view symbol{};                   // of a named constant or an input: its name
  std::int64_t first_feature = 0;              // of `columns`
  attention_value const* attention = nullptr;  // of rope and attend

  constexpr bool operator==(node const&) const = default;
};

/// Whether a .. b is b .. a, bit for bit.
constexpr bool commutes(op operation) { return operation == op::add || operation == op::hadamard; }

/// The operand that is computed last; -1: none.
constexpr int latest_operand(node const& n) {
  int latest = -1;
  for (int operand : n.operands) latest = operand > latest ? operand : latest;
  return latest;
}

/// Whether two nodes are one operation of the same operands, so that their values are equal.
constexpr bool computes_alike(node a, node const& b) {
  if (a.operation != b.operation) return false;
  if (a.operands != b.operands) {
    if (!commutes(a.operation) || a.operands[0] != b.operands[1] || a.operands[1] != b.operands[0]) return false;
    a.operands = b.operands;
  }
  return a == b;
}

/// A part of a parameter path: `F` in F.up.weight, or 3, a layer of `h`, in h.3.N.weight.
struct scope {
  int parent = -1;
  std::string_view name{};
  int layer = -1;  // of a stack

  constexpr bool operator==(scope const&) const = default;
};

/// One application of a branch or attention: its nodes are [begin, end), in one run.
struct call {
  int scope = 0;
  int around = -1;  // the branch around this one
  int begin = 0;
  int end = 0;
  int argument = 0;
  int memory = -1;  // the second argument of a cross-attention
  int result = 0;

  constexpr bool operator==(call const&) const = default;
};

/// A block's graph, for code that is no template.
struct graph_view {
  std::string_view name{};
  std::span<node const> nodes{};
  std::span<scope const> scopes{};
  std::span<call const> calls{};
  std::span<int const> inputs{};   // nodes: the streams that the block reads, its own first
  std::span<int const> outputs{};  // nodes: the streams that it gives
  std::size_t streams = 1;         // so many inputs are its own; one behind them is the memory

  constexpr node const& operator[](int at) const { return nodes[static_cast<std::size_t>(at)]; }
  constexpr int size() const { return static_cast<int>(nodes.size()); }
  constexpr scope const& scope_at(int at) const { return scopes[static_cast<std::size_t>(at)]; }
  constexpr call const& call_at(int at) const { return calls[static_cast<std::size_t>(at)]; }
  constexpr node const& input(std::size_t k = 0) const { return (*this)[inputs[k]]; }
  constexpr bool reads_memory() const { return inputs.size() > streams; }
  /// Whether it is a block of several streams, or gives several.
  constexpr bool has_several() const { return streams > 1 || outputs.size() > 1; }
  /// The node of a result.
  constexpr int output(std::size_t k = 0) const { return outputs[k]; }
  constexpr node const& result(std::size_t k = 0) const { return (*this)[output(k)]; }
};

/// One value for each node, scope or call, looked up by its number.
template <class T>
class by_number {
 public:
  constexpr by_number(std::size_t count, T const& value) : values_(count, value) {}

  constexpr T& operator[](int at) { return values_[static_cast<std::size_t>(at)]; }
  constexpr T const& operator[](int at) const { return values_[static_cast<std::size_t>(at)]; }

 private:
  std::vector<T> values_;
};

/// A graph in static storage, of exactly the size it needs.
template <std::size_t Nodes, std::size_t Scopes, std::size_t Calls, std::size_t Inputs = 1, std::size_t Outputs = 1>
struct stored_graph {
  std::array<node, Nodes> nodes{};
  std::array<scope, Scopes> scopes{};
  std::array<call, Calls> calls{};
  std::array<int, Inputs> inputs{};
  std::array<int, Outputs> outputs{};
  std::size_t streams = 1;

  constexpr graph_view view(std::string_view name) const { return {name, nodes, scopes, calls, inputs, outputs, streams}; }
};

/// The innermost layer around a scope; 0: none.
constexpr int layer_scope(graph_view const& graph, int scope) {
  while (scope > 0 && graph.scope_at(scope).layer < 0) scope = graph.scope_at(scope).parent;
  return scope;
}

/// Writes the path of a scope: `h.3.F`. The root writes nothing.
constexpr void write_path(writer& out, graph_view const& graph, int at) {
  scope const& here = graph.scope_at(at);
  if (here.parent < 0) return;
  if (here.parent > 0) {
    write_path(out, graph, here.parent);
    out.add(".");
  }
  if (here.layer < 0) out.add(here.name);
  else out.add_integer(here.layer);
}

}  // namespace residua::graph
