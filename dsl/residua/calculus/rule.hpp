#pragma once
#include <concepts>
#include <initializer_list>
#include <residua/calculus/closed_forms.hpp>

namespace residua::calculus {

using graph::every_role;

/// What an operation is, for whoever treats its like alike. A switch over it names every kind and has no default.
enum class kind : unsigned char {
  input,        // a stream that the block reads
  sum,          // a + b, a - b
  scale,        // c x, alpha x, g .* x
  hadamard,     // a .* b
  token_scale,  // s x, s a number for each token
  renamed,      // x, over an axis of another name
  stopped,      // x, through which nothing is trained
  term,         // of no operand, the same at each token
  repetition,   // one token of each sequence, at each token of another stream
  reduction,    // a number for each token: a mean, an inner product
  norm,         // each token by its own statistics, with gain and bias
  product,      // x W + b
  pointwise,    // a function of one number, of each element
  selection,    // some of the features
  joining,      // features of several values side by side
  rotation,     // each head turned by its token's position
  coupling,     // tokens meet: attention
};

/// What stands in front of an operand's derivative: the local Jacobian of one operation, by its kind.
enum class factor : unsigned char {
  none,        // no such operand
  identity,    // I
  negative,    // -I
  scalar,      // c I: a literal or a learned scalar
  vector,      // diag(g): a learned vector
  other,       // diag(b) for the operand a of hadamard(a, b), or of b a, b a number for each token
  column,      // x for s of s x
  row,         // b^T for a of <a, b>
  mean,        // 1^T/d
  repetition,  // I at each token
  stopped,     // I of the value, zero of what is trained
  activation,  // diag(f'(x))
  norm,        // per token, full
  matrix,      // W^T
  selection,   // S: some of the features
  insertion,   // S^T: as some of the features, the others zero
  rotation,    // R: each head turned by its token's position
  queries,     // Q, K, P: of softmax(c q k^T + mask) v by q, k and v; K and P couple tokens
  keys,
  values,
};

/// A few of the operands 0, 1 and 2.
class operand_set {
 public:
  constexpr operand_set(std::initializer_list<unsigned> members = {}) {
    for (unsigned each : members) bits_ |= 1u << each;
  }
  constexpr bool contains(std::size_t which) const { return (bits_ >> which & 1u) != 0; }

 private:
  unsigned bits_ = 0;
};

/// The axes that a parameter lies over.
enum class lies_over : unsigned char {
  nothing,   // a number
  features,  // the feature axis of the result, of one head where heads are worked on alone
  both,      // the feature axes of operand and result
};

/// States a formula for one node of a block, whose attributes decide its form; or for a function of one number, of x alone.
class formula_function {
 public:
  constexpr formula_function() = default;
  template <class Function>
    requires std::invocable<Function, formulas&>
  constexpr formula_function(Function of_node) : states_(stated_as::of_node), of_node_(of_node) {}
  template <class Function>
    requires std::invocable<Function, formula>
  constexpr formula_function(Function of_x) : states_(stated_as::of_x), of_x_(of_x) {}

  constexpr bool is_stated() const { return states_ != stated_as::nothing; }
  constexpr formula operator()(formulas& f) const {
    formula const stated = states_ == stated_as::of_x ? of_x_(closed_forms::x(f)) : of_node_(f);
    return is_diagonal_ ? diagonal(stated) : stated;
  }
  /// diag(f) for f.
  constexpr formula_function on_diagonal() const {
    formula_function made = *this;
    made.is_diagonal_ = true;
    return made;
  }

 private:
  enum class stated_as : unsigned char { nothing, of_node, of_x };

  stated_as states_ = stated_as::nothing;  // g++ with sanitizers compares no pointer with null in a constant
  formula (*of_node_)(formulas&) = nullptr;
  formula (*of_x_)(formula) = nullptr;
  bool is_diagonal_ = false;
};

/// A parameter that an operation may read, where it lies, and the derivative by it as a map from its change.
struct parameter_rule {
  role which = role::weight;
  lies_over axes = lies_over::features;
  formula_function derivative{};
};

/// The parameters of an operation, by role.
class parameter_rules {
 public:
  constexpr parameter_rules(std::initializer_list<parameter_rule> given = {}) {
    std::size_t k = 0;
    for (parameter_rule const& each : given) rules_[k++] = each;
  }
  constexpr bool contains(role which) const { return position_of(which) < rules_.size(); }
  /// Throws where the operation has no parameter of this role.
  constexpr parameter_rule const& operator[](role which) const {
    if (!contains(which)) throw "residua: the operation has no such parameter";
    return rules_[position_of(which)];
  }

 private:
  constexpr std::size_t position_of(role which) const {
    std::size_t k = 0;
    while (k < rules_.size() && !(rules_[k].derivative.is_stated() && rules_[k].which == which)) ++k;
    return k;
  }
  std::array<parameter_rule, every_role.size()> rules_{};
};

/// One operation: its word in the language, what it is, its value, and its derivatives by operands and parameters, from
/// which text, LaTeX, adjoints and the tests' numbers are made. In the formulas x is the operand and d the width; all per
/// token, but for attention, where (i, j) is the block between token i of the result and token j of the operand.
struct rule {
  op operation;
  std::string_view word;
  kind is{};
  std::array<factor, 3> factors{};  // one for each operand
  parameter_rules parameters{};     // what a node of it may read
  bool couples_tokens = false;      // a token of the result depends on other tokens of an operand
  operand_set cacheable{};          // the operands that are kept for later tokens when a block runs token by token
  bool has_options = false;         // its kernel takes a structure of options, one constant for each node
  formula_function value{};
  std::array<formula_function, 3> derivatives{};  // one for each operand
  std::array<formula_function, 5> where{};        // the names in them that a line explains, in its order
};

}  // namespace residua::calculus
