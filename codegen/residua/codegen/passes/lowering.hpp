#pragma once
#include <map>
#include <residua/calculus/text/expression.hpp>
#include <residua/codegen/passes/lower.hpp>

// What the three lowerings share; lower.cpp, lower_jvp.cpp and lower_vjp.cpp include it.
namespace residua::codegen {

using calculus::factor;
using calculus::role;

/// What the three programs share: which nodes matter, the primal values, and names.
class lowering {
 public:
  explicit lowering(graph_view const& graph)
      : graph_(graph),
        text_(graph),
        widths_(widths_of(graph)),
        needed_(needed_nodes(graph)),
        primal_(graph.nodes.size(), -1),
        rows_(rows_of_nodes(graph)),
        names_({"x",
                "y",
                "dx",
                "dy",
                "g",
                "gx",
                "m",
                "dm",
                "gm",
                "w",
                "memory",
                "e",
                "all",
                "first",
                "rows",
                "rt",
                "std",
                "Real",
                "Arch",
                "scratch",
                "part",
                "parts",
                "into",
                "bytes",
                "carve",
                "head",
                "attention",
                "positions",
                "memory_positions",
                "sequences",
                "forward_scratch",
                "jvp_scratch",
                "vjp_scratch"}) {
    primal_[0] = make(0, "x", "x", home::input);
    node_names_[0] = "x";
    if (!has_memory(graph)) return;
    primal_[1] = make(1, "m", "memory", home::memory);
    node_names_[1] = "m";
  }

  node const& node_at(int at) const { return graph_.nodes[static_cast<std::size_t>(at)]; }
  bool is_needed(int at) const { return needed_[static_cast<std::size_t>(at)]; }
  int count() const { return static_cast<int>(graph_.nodes.size()); }

  /// The name of a node's value: its path where it has one, otherwise its operation.
  std::string wanted_name(int at) const {
    node const& n = node_at(at);
    if (n.operation == op::layer_norm || n.operation == op::rms_norm || n.operation == op::linear) {
      std::string const name = path_of(n);
      return name.starts_with("buffer_") ? "value_" + name : name;  // scratch has members buffer_0, ...
    }
    switch (n.operation) {
      case op::columns: return std::string(n.shape.feature().name);
      case op::rope: return "turned";
      case op::attend: return path_of(n) + "_heads";
      case op::input: return "x";
      case op::add: return "sum";
      case op::subtract: return "difference";
      case op::constant_multiple:
      case op::scalar_multiple:
      case op::vector_multiple: return "scaled";
      case op::hadamard: return "product";
      default: return std::string(calculus::rule_of(n.operation).word);
    }
  }
  std::string path_of(node const& n) const {
    graph::writer path;
    graph::write_path(path, graph_, n.scope);
    return flat(std::string(path.view()));
  }
  std::string name_of(int at) {
    std::string& name = node_names_[at];
    if (name.empty()) name = names_(wanted_name(at));
    return name;
  }
  std::string meaning(int at) const {
    graph::writer text;
    text_.write_expression(text, at, false);
    return std::string(text.view().substr(0, 90)) + (text.view().size() > 90 ? "..." : "");
  }

  int make(int at, std::string name, std::string meaning, home place = home::tile) {
    return make(at, widths_[static_cast<std::size_t>(at)], std::move(name), std::move(meaning), place);
  }
  int make(int at, axis_value const& width, std::string name, std::string meaning, home place = home::tile) {
    return program_.add_value({.name = std::move(name),
                               .meaning = std::move(meaning),
                               .width = width,
                               .place = place,
                               .rows = rows_[static_cast<std::size_t>(at)]});
  }
  /// The columns that a node `columns` takes of a value.
  int make_columns(int at, int whole, std::string name, std::string meaning) {
    int const made = make(at, std::move(name), std::move(meaning));
    program_[made].base = whole;
    program_[made].first = node_at(at).first_feature;
    return made;
  }
  int emit(code what, int at, std::vector<int> inputs, int result) {
    program_.add({.what = what, .node = at, .inputs = std::move(inputs), .result = result});
    return result;
  }

  /// Computes the value of a node from those of its operands.
  void compute(int at) {
    node const& n = node_at(at);
    if (n.operation == op::input) return;
    auto operand = [&](std::size_t k) { return primal_[static_cast<std::size_t>(n.operands[k])]; };
    int& value = primal_[static_cast<std::size_t>(at)];
    if (n.operation == op::renamed) {
      value = operand(0);
      return;
    }
    if (n.operation == op::columns) {
      value = make_columns(at, operand(0), name_of(at), meaning(at));
      return;
    }
    value = make(at, name_of(at), meaning(at));
    switch (n.operation) {
      case op::add: emit(code::add, at, {operand(0), operand(1)}, value); break;
      case op::subtract: emit(code::subtract, at, {operand(0), operand(1)}, value); break;
      case op::hadamard: emit(code::hadamard, at, {operand(0), operand(1)}, value); break;
      case op::constant_multiple: emit(code::scale, at, {operand(0)}, value); break;
      case op::scalar_multiple: emit(code::scale_by, at, {operand(0)}, value); break;
      case op::vector_multiple: emit(code::scale_columns, at, {operand(0)}, value); break;
      case op::layer_norm:
      case op::rms_norm: emit(code::norm, at, {operand(0)}, value); break;
      case op::rope: emit(code::rotate, at, {operand(0)}, value); break;
      case op::attend: emit(code::attend, at, {operand(0), operand(1), operand(2)}, value); break;
      case op::linear:
        emit(code::multiply, at, {operand(0)}, value);
        program_.stages.back().instructions.back().with_bias = n.has_bias;
        break;
      default: emit(code::activate, at, {operand(0)}, value);
    }
  }

  /// Puts a value where the caller wants it: the value that ends there is written there at once, unless it lives
  /// elsewhere already (an argument, or the end of two results), and then it is copied.
  void deliver(int value, home place, std::string name, int at) {
    if (value >= 0 && program_[value].place == home::tile && program_[value].base < 0) {
      program_[value].place = place;
      program_[value].name = std::move(name);
      return;
    }
    int const result = make(at, std::move(name), value < 0 ? "0" : program_[value].meaning, place);
    emit(value < 0 ? code::zero : code::copy, at, value < 0 ? std::vector<int>{} : std::vector<int>{value}, result);
  }

 protected:
  graph_view graph_;
  calculus::expression_text text_;
  std::vector<axis_value> widths_;
  program program_;
  std::vector<bool> needed_;
  std::vector<int> primal_;    // of each node: its value, -1 where it has none yet
  std::vector<rows_of> rows_;  // of each node: whose tokens
  unique_names names_;
  std::map<int, std::string> node_names_;
};

/// One factor of the rule table, or its adjoint, applied to a value. Every factor but a matrix and a norm is symmetric.
class factor_application : public lowering {
 public:
  using lowering::lowering;

  int apply(factor which, int at, std::size_t k, int to, bool adjoint, std::string const& name, std::string const& meaning) {
    node const& n = node_at(at);
    auto operand = [&](std::size_t i) { return primal_[static_cast<std::size_t>(n.operands[i])]; };
    int const where = adjoint ? n.operands[k] : at;
    auto result = [&] { return make(where, names_(name), meaning); };
    switch (which) {
      case factor::none:
      case factor::identity: return to;
      case factor::negative: {
        int const negated = result();
        program_.add({.what = code::scale, .node = -1, .inputs = {to}, .result = negated});
        return negated;
      }
      case factor::scalar: return emit(calculus::reads(n, role::itself) ? code::scale_by : code::scale, at, {to}, result());
      case factor::vector: return emit(code::scale_columns, at, {to}, result());
      case factor::other: return emit(code::hadamard, at, {to, operand(1 - k)}, result());
      case factor::activation: return emit(code::slope, at, {operand(0), to}, result());
      case factor::norm: return emit(adjoint ? code::norm_vjp : code::norm_jvp, at, {operand(0), to}, result());
      case factor::matrix: return emit(adjoint ? code::multiply_transposed : code::multiply, at, {to}, result());
      case factor::rotation: return emit(adjoint ? code::rotate_back : code::rotate, at, {to}, result());
      case factor::selection:  // its adjoint is a join, once all columns have their cotangents
      case factor::queries:    // an attention's three factors are applied together
      case factor::keys:
      case factor::values: break;
    }
    return to;
  }
};

}  // namespace residua::codegen
