#include <algorithm>
#include <map>
#include <optional>
#include <residua/calculus/expression_text.hpp>
#include <residua/codegen/lower.hpp>

namespace residua::codegen {

namespace {

using calculus::factor;
using calculus::role;

/// What the three programs share: which nodes matter, the primal values, and names.
class lowering {
 public:
  explicit lowering(graph_view const& graph)
      : graph_(graph),
        text_(graph),
        widths_(widths_of(graph)),
        needed_(graph.nodes.size(), false),
        primal_(graph.nodes.size(), -1),
        rows_(rows_of_nodes(graph)),
        names_({"x",     "y",    "dx", "dy",  "g",    "gx",   "m",       "dm",   "gm",    "w",    "memory", "e",     "all",
                "first", "rows", "rt", "std", "Real", "Arch", "scratch", "part", "parts", "into", "bytes",  "carve", "head"}) {
    needed_[static_cast<std::size_t>(graph.output)] = true;
    for (std::size_t i = graph.nodes.size(); i > 0; --i)
      if (needed_[i - 1])
        for (int operand : graph.nodes[i - 1].operands)
          if (operand >= 0) needed_[static_cast<std::size_t>(operand)] = true;
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
    dsl::writer path;
    dsl::write_path(path, graph_, n.scope);
    return flat(std::string(path.view()));
  }
  std::string name_of(int at) {
    std::string& name = node_names_[at];
    if (name.empty()) name = names_(wanted_name(at));
    return name;
  }
  std::string meaning(int at) const {
    dsl::writer text;
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
    program_[made].first = node_at(at).first;
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
      case factor::scalar: return emit(n.has_weight ? code::scale_by : code::scale, at, {to}, result());
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

class jvp_lowering : public factor_application {
 public:
  explicit jvp_lowering(graph_view const& graph) : factor_application(graph), tangent_(graph.nodes.size(), -1) {}

  program run() {
    tangent_[0] = make(0, "dx", "dx", home::tangent);
    if (has_memory(graph_)) tangent_[1] = make(1, "dm", "dm", home::memory_tangent);
    for (int at = 0; at < count(); ++at) {
      if (!is_needed(at) || node_at(at).operation == op::input) continue;
      if (node_at(at).operation == op::attend) {
        attend(at);
        continue;
      }
      compute(at);
      tangent_[static_cast<std::size_t>(at)] = tangent_of(at);
    }
    deliver(primal_[static_cast<std::size_t>(graph_.output)], home::output, "y", graph_.output);
    deliver(tangent_[static_cast<std::size_t>(graph_.output)], home::output_tangent, "dy", graph_.output);
    return std::move(program_);
  }

 private:
  /// Value and tangent of an attention, which share its weights.
  void attend(int at) {
    node const& n = node_at(at);
    std::vector<int> inputs;
    for (std::vector<int> const* values : {&primal_, &tangent_})
      for (int operand : n.operands) inputs.push_back((*values)[static_cast<std::size_t>(operand)]);
    int const o = primal_[static_cast<std::size_t>(at)] = make(at, name_of(at), meaning(at));
    int const d_o = tangent_[static_cast<std::size_t>(at)] = make(at, names_("d_" + name_of(at)), "its tangent");
    emit(code::attend_jvp, at, std::move(inputs), o);
    program_.stages.back().instructions.back().second = d_o;
  }

  /// The sum over the operands of factor times tangent.
  int tangent_of(int at) {
    node const& n = node_at(at);
    if (n.operation == op::columns)
      return make_columns(at, tangent_[static_cast<std::size_t>(n.operands[0])], names_("d_" + name_of(at)), "its tangent");
    auto const& factors = calculus::rule_of(n.operation).factors;
    auto operand = [&](std::size_t k) { return n.operands[k] < 0 ? -1 : tangent_[static_cast<std::size_t>(n.operands[k])]; };
    std::string const name = "d_" + name_of(at);
    if (n.operation == op::subtract && operand(0) >= 0 && operand(1) >= 0)
      return emit(code::subtract, at, {operand(0), operand(1)}, make(at, names_(name), "its tangent"));
    int sum = -1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (operand(k) < 0) continue;
      int const part = apply(factors[k], at, k, operand(k), false, name, "its tangent");
      sum = sum < 0 ? part : emit(code::add, at, {sum, part}, make(at, names_(name), "its tangent"));
    }
    return sum;
  }

  std::vector<int> tangent_;
};

class vjp_lowering : public factor_application {
 public:
  vjp_lowering(graph_view const& graph, parameter_list const& parameters)
      : factor_application(graph), parameters_(parameters), cotangent_(graph.nodes.size(), -1) {}

  program run() {
    compute_points();
    cotangent_[static_cast<std::size_t>(graph_.output)] = make(graph_.output, "g", "g", home::cotangent);
    for (int at = count() - 1; at > 0; --at) {
      if (!is_needed(at)) continue;
      join_columns(at);
      if (cotangent_[static_cast<std::size_t>(at)] >= 0 && node_at(at).operation != op::input) pass_on(at);
    }
    deliver(cotangent_[0], home::input_gradient, "gx", 0);
    if (has_memory(graph_)) deliver(cotangent_[1], home::memory_gradient, "gm", 1);
    return std::move(program_);
  }

 private:
  /// Computes the values at which factors are taken, and no others.
  void compute_points() {
    std::vector<bool> wanted(graph_.nodes.size(), false);
    auto want = [&](int at) { wanted[static_cast<std::size_t>(at)] = true; };
    for (int at = 1; at < count(); ++at) {
      if (!is_needed(at)) continue;
      node const& n = node_at(at);
      switch (calculus::rule_of(n.operation).factors[0]) {
        case factor::norm:
        case factor::activation:
        case factor::matrix:
        case factor::vector: want(n.operands[0]); break;
        case factor::scalar:
          if (n.has_weight) want(n.operands[0]);
          break;
        case factor::other:
          want(n.operands[0]);
          want(n.operands[1]);
          break;
        case factor::queries: want(at); break;
        default: break;
      }
    }
    for (int at = count() - 1; at > 0; --at)
      if (wanted[static_cast<std::size_t>(at)])
        for (int operand : node_at(at).operands)
          if (operand >= 0) want(operand);
    for (int at = 0; at < count(); ++at) {
      if (!wanted[static_cast<std::size_t>(at)]) continue;
      compute(at);
      if (node_at(at).operation != op::attend) continue;
      int const sums = make(at, per_head(at), names_("log_sums_" + path_of(node_at(at))), "log sum_j exp(s_ij) per head");
      program_.stages.back().instructions.back().second = log_sums_[at] = sums;
    }
  }

  axis_value per_head(int at) const { return {"heads", node_at(at).attention->heads}; }

  /// The cotangents of queries, keys and values from that of their attention.
  void pass_attention(int at, int g) {
    node const& n = node_at(at);
    auto value = [&](std::size_t k) { return primal_[static_cast<std::size_t>(n.operands[k])]; };
    int const sums = log_sums_.at(at);
    int const dots = make(at, per_head(at), names_("dots_" + path_of(n)), "<g, o> per head");
    emit(code::attend_dots, at, {primal_[static_cast<std::size_t>(at)], g}, dots);
    auto cotangent = [&](std::size_t k) {
      std::string const of = name_of(n.operands[k]);
      return make(n.operands[k], names_("g_" + of), "cotangent of " + of);
    };
    int const gq = emit(code::attend_vjp_queries, at, {value(0), value(1), value(2), sums, dots, g}, cotangent(0));
    int const gk = cotangent(1);
    int const gv = cotangent(2);
    emit(code::attend_vjp_keys, at, {value(1), value(2), value(0), sums, dots, g}, gk);
    program_.stages.back().instructions.back().second = gv;
    add_cotangent(n.operands[0], gq);
    add_cotangent(n.operands[1], gk);
    add_cotangent(n.operands[2], gv);
  }

  /// The cotangent of a value that was used by its columns.
  void join_columns(int at) {
    auto const parts = parts_.find(at);
    if (parts == parts_.end()) return;
    std::string const of = name_of(at);
    add_cotangent(at, emit(code::join, at, parts->second, make(at, names_("g_" + of), "cotangent of " + of)));
  }

  void add_cotangent(int at, int part) {
    int& sum = cotangent_[static_cast<std::size_t>(at)];
    std::string const of = name_of(at);
    sum = sum < 0 ? part : emit(code::add, at, {sum, part}, make(at, names_("g_" + of), "cotangent of " + of));
  }

  /// Gives the cotangent of a node to its operands, and its share to the node's parameters.
  void pass_on(int at) {
    node const& n = node_at(at);
    int const g = cotangent_[static_cast<std::size_t>(at)];
    if (n.operation == op::attend) return pass_attention(at, g);
    if (n.operation == op::columns) {
      program_[g].first = n.first;
      parts_[n.operands[0]].push_back(g);
      return;
    }
    collect_gradients(at, g);
    auto const& factors = calculus::rule_of(n.operation).factors;
    for (std::size_t k = 0; k < 2; ++k) {
      if (n.operands[k] < 0) continue;
      std::string const of = name_of(n.operands[k]);
      int const part = apply(factors[k], at, k, g, true, "g_" + of, "cotangent of " + of);
      if (factors[k] == factor::norm) program_.stages.back().instructions.back().partials = norm_partials(n);
      add_cotangent(n.operands[k], part);
    }
  }

  void collect_gradients(int at, int g) {
    node const& n = node_at(at);
    int const x = n.operands[0] < 0 ? -1 : primal_[static_cast<std::size_t>(n.operands[0])];
    if (int const weight = parameters_.find(n, role::weight); weight >= 0 && n.operation == op::linear) {
      program_.stages[0].sums.push_back({weight, keep(x), keep(g)});
    }
    if (int const bias = parameters_.find(n, role::bias); bias >= 0 && n.operation == op::linear)
      program_.add({.what = code::column_sums, .node = at, .inputs = {g}, .partials = {partial(bias)}});
    if (int const itself = parameters_.find(n, role::itself); itself >= 0)
      program_.add({.what = n.operation == op::scalar_multiple ? code::dot : code::column_dots,
                    .node = at,
                    .inputs = {x, g},
                    .partials = {partial(itself)}});
  }

  std::vector<int> norm_partials(node const& n) {
    int const weight = parameters_.find(n, role::weight);
    int const bias = parameters_.find(n, role::bias);
    return {weight < 0 ? -1 : partial(weight), bias < 0 ? -1 : partial(bias)};
  }

  /// This tile's share of a vector's gradient, one for each parameter.
  int partial(int parameter) {
    auto const [known, fresh] = partials_.try_emplace(parameter, -1);
    if (fresh) {
      parameter_tensor const& tensor = parameters_[parameter];
      axis_value const width = tensor.shape.empty() ? axis_value{"", 1} : tensor.shape[0];
      known->second = make(0, width, names_("gradient_" + tensor.member), "this tile's share", home::partial);
      program_.stages[0].sums.push_back({parameter, known->second, -1});
    }
    return known->second;
  }

  int keep(int at) {
    value& owner = program_[program_.base_of(at)];
    if (owner.place == home::tile) owner.place = home::kept;
    return at;
  }

  parameter_list const& parameters_;
  std::vector<int> cotangent_;
  std::map<int, int> partials_;
  std::map<int, int> log_sums_;            // of each attention: its row statistics
  std::map<int, std::vector<int>> parts_;  // of a value used by its columns: their cotangents
};

class forward_lowering : public lowering {
 public:
  using lowering::lowering;

  program run() {
    for (int at = 0; at < count(); ++at)
      if (is_needed(at)) compute(at);
    deliver(primal_[static_cast<std::size_t>(graph_.output)], home::output, "y", graph_.output);
    return std::move(program_);
  }
};

}  // namespace

std::vector<axis_value> widths_of(graph_view const& graph) {
  std::vector<axis_value> widths;
  for (node const& n : graph.nodes) {
    bool const own = n.operation == op::input || n.operation == op::linear || n.operation == op::columns;
    widths.push_back(own ? n.shape.feature() : widths[static_cast<std::size_t>(n.operands[0])]);
  }
  return widths;
}

bool has_memory(graph_view const& graph) { return graph.nodes.size() > 1 && graph.nodes[1].operation == op::input; }

std::vector<rows_of> rows_of_nodes(graph_view const& graph) {
  dsl::shape_value const& stream = graph.nodes[0].shape;
  auto same_tokens = [&](dsl::shape_value const& other) {
    return other.rank == stream.rank &&
           std::equal(stream.axes.begin(), stream.axes.begin() + static_cast<std::ptrdiff_t>(stream.rank) - 1,
                      other.axes.begin());
  };
  std::vector<rows_of> rows;
  for (node const& n : graph.nodes)
    rows.push_back(n.operation != op::input ? rows[static_cast<std::size_t>(n.operands[0])]
                   : same_tokens(n.shape)   ? rows_of::stream
                                            : rows_of::memory);
  return rows;
}

program lower_forward(graph_view const& graph) { return forward_lowering(graph).run(); }

program lower_jvp(graph_view const& graph) { return jvp_lowering(graph).run(); }

program lower_vjp(graph_view const& graph, parameter_list const& parameters) { return vjp_lowering(graph, parameters).run(); }

}  // namespace residua::codegen
