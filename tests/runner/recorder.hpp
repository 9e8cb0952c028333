// The language at run time: operations as values, recorded in the same trace that a block's function is.
#pragma once

#include <residua/dsl/attention_options.hpp>
#include <residua/dsl/trace.hpp>

#include <memory>
#include <string>
#include <vector>

namespace residua::random_graph {

using graph::axis_value;
using graph::node;
using graph::op;
using graph::shape_value;

inline constexpr axis_value number_of_token{"one", 1};

struct operation;
using operation_pointer = std::shared_ptr<operation const>;

/// A line of a function. Its values count from the arguments on: x, the memory where there is one, then a value a step.
struct step {
  enum class kind : unsigned char {
    apply,
    add,
    subtract,
    hadamard,
    multiple,
    renamed,
    part,
    concat,
    with_term,
    at_each_token,
    token_multiple,
    mean,
    inner,
    condition,
    stopped,
  };
  kind is = kind::apply;
  int a = 0;
  int b = -1;                 // of two operands; the memory that an operation reads; keys
  int c = -1;                 // values
  operation_pointer what{};   // that is applied, or the learned scalar or vector that is a term
  double factor = 1;          // of a constant multiple or a literal as a term
  std::string_view symbol{};  // where it is a named constant
  op sum = op::add;           // of a term
  bool term_first = false;
  axis_value from{};       // of renamed
  axis_value to{};         // of renamed, part and concat
  std::int64_t first = 0;  // of part
};

/// [](auto x) { ... }: can be recorded more than once, as a branch that is applied twice or a layer of a stack.
struct function {
  std::vector<step> steps;
  int result = 0;
};

/// What linear, layer_norm, attention, branch, block, stack and the others make.
struct operation {
  enum class kind : unsigned char { linear, norm, activation, scalar, vector, attention, rotary, attend, branch, block, stack };
  kind is = kind::activation;
  op which = op::silu;  // of a norm or an activation
  std::string name{};   // in parameter paths
  axis_value takes{};   // of linear and attention: the feature axes
  axis_value makes{};
  bool has_weight = false;
  bool has_bias = false;
  bool unit_offset = false;
  double epsilon = 1e-5;
  std::int64_t groups = 1;              // of a norm: the heads
  dsl::attention_settings attention{};  // of attention, rotary and attend
  std::array<std::string, 5> projections{"q", "k", "v", "o", "qkv"};
  std::vector<function> functions{};  // of a branch or block: one; of a stack: one for each layer
  std::array<char, 6> identities{};   // an address for each scope that it names
};

/// A value while its block is recorded.
struct value {
  int at = 0;
  shape_value shape{};
};

/// Records operations as dsl/ does: the same nodes, scopes and calls in the same order.
class recorder {
 public:
  value input(shape_value const& shape, std::string_view name, int tokens) {
    return {trace_.add_input(shape, name, tokens), shape};
  }
  value run(function const& body, value x, value const* memory);
  value apply(operation const& what, value x, value const* memory);
  value attend(operation const& what, value q, value k, value v);

  dsl::trace const& history() const { return trace_; }

 private:
  int scope(std::string_view name, char const& identity, int layer = -1) {
    return trace_.scope_of(name, dsl::hash(name), &identity, {}, layer);
  }
  value add(node made) { return {trace_.add(made), made.shape}; }
  value linear(std::string_view name, char const& identity, value x, axis_value const& makes, bool has_bias);
  value attend(operation const& what, value x, value source, int memory);
  value turned(operation const& what, value x, bool queries, int owner);
  value term(step const& made, value like);
  value stacked(operation const& what, value x, value const* memory);

  dsl::trace trace_;
};

shape_value with_feature(shape_value shape, axis_value const& feature);

}  // namespace residua::random_graph
