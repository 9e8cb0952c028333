#include <residua/codegen/internal_error.hpp>
#include <residua/codegen/passes/lowering.hpp>

namespace residua::codegen {

namespace {

/// c x, alpha x or g .* x.
opcode scaling_of(node const& n) {
  if (!calculus::reads(n, role::itself)) return opcode::scale;
  return calculus::rule_of(n).factors[0] == factor::vector ? opcode::scale_columns : opcode::scale_by;
}

/// y, y_1, y_2, ...
std::string numbered(std::string const& one, std::size_t k) { return k == 0 ? one : one + "_" + std::to_string(k); }

}  // namespace

std::string input_name(std::size_t k) { return k == 0 ? "x" : k == 1 ? "m" : numbered("m", k); }
std::string output_name(std::size_t k) { return numbered("y", k); }
std::string cotangent_name(std::size_t k) { return numbered("g", k); }

lowering::lowering(graph_view const& graph, graph_facts const& facts)
    : graph_(graph), facts_(facts), primal_(graph.nodes.size(), -1), text_(graph) {
  for (std::size_t k = 0; k < graph.outputs.size(); ++k)
    for (std::string const& each : {output_name(k), "d" + output_name(k), cotangent_name(k)}) names_(each);
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    int const at = graph.inputs[k];
    std::string const name = input_name(k);
    for (std::string const& each : {name, "d" + name, "g" + name}) names_(each);
    node_names_[at] = name;
    std::string const meaning(node_at(at).symbol);
    primal_[static_cast<std::size_t>(at)] = make(at, name, meaning, home::argument, port_of(port::kind::value, k));
  }
}

std::string lowering::path_of(int at) const {
  graph::writer path;
  graph::write_path(path, graph_, node_at(at).scope);
  return flat(std::string(path.view()));
}

std::string lowering::wanted_name(int at) const {
  node const& n = node_at(at);
  switch (calculus::kind_of(n)) {
    case kind::term: return path_of(at);
    case kind::sum: return n.operation == op::subtract ? "difference" : "sum";
    case kind::token_scale:
    case kind::scale: return "scaled";
    case kind::hadamard: return "product";
    case kind::norm:
    case kind::product: return path_of(at);
    case kind::selection:
    case kind::joining: return std::string(n.shape.feature().name);
    case kind::rotation: return "turned";
    case kind::coupling: return path_of(at) + "_heads";
    case kind::input:
    case kind::stopped:
    case kind::renamed:
    case kind::repetition:
    case kind::reduction:
    case kind::pointwise: break;
  }
  return std::string(calculus::rule_of(n).word);
}

std::string const& lowering::name_of(int at) {
  std::string& name = node_names_[at];
  if (name.empty()) name = names_(wanted_name(at));
  return name;
}

std::string lowering::meaning_of(int at) const {
  graph::writer text;
  text_.write_expression(text, at, false);
  return std::string(text.view().substr(0, 90)) + (text.view().size() > 90 ? "..." : "");
}

int lowering::make(int at, std::string name, std::string meaning, home place, port which) {
  return make(at, facts_.width(at), std::move(name), std::move(meaning), place, which);
}

int lowering::make(int at, axis_value const& width, std::string name, std::string meaning, home place, port which) {
  return program_.add_value({.name = std::move(name),
                             .meaning = std::move(meaning),
                             .width = width,
                             .place = place,
                             .at = which,
                             .tokens = node_at(at).tokens});
}

int lowering::make_columns(int at, int of, std::int64_t first, std::string name, std::string meaning) {
  int const made = make(at, std::move(name), std::move(meaning));
  program_[made].base = program_.base_of(of);
  program_[made].first = program_[of].first + first;
  return made;
}

int lowering::emit(opcode what, int at, std::vector<operand> inputs, std::vector<int> results) {
  int const first = results.empty() ? -1 : results[0];
  program_.add({.what = what, .node = at, .inputs = std::move(inputs), .results = std::move(results), .layer = layer_});
  return first;
}

int lowering::emit_join(int at, std::vector<operand> parts, std::vector<std::int64_t> columns, int into) {
  emit(opcode::join, at, std::move(parts), {into});
  program_.stages.back().instructions.back().columns = std::move(columns);
  return into;
}

std::int64_t lowering::first_column(int at, std::size_t k) const {
  std::int64_t first = 0;
  for (std::size_t before = 0; before < k; ++before) first += node_at(node_at(at).operands[before]).shape.feature().extent;
  return first;
}

int lowering::join_operands(int at, std::vector<int> const& values, std::string name, std::string meaning) {
  std::vector<operand> parts;
  std::vector<std::int64_t> columns;
  for (std::size_t k = 0; k < node_at(at).operands.size(); ++k) {
    int const operand = node_at(at).operands[k];
    int const value = operand < 0 ? -1 : values[static_cast<std::size_t>(operand)];
    if (value < 0) continue;
    parts.push_back(tile_of(value));
    columns.push_back(first_column(at, k));
  }
  return parts.empty() ? -1 : emit_join(at, std::move(parts), std::move(columns), make(at, std::move(name), std::move(meaning)));
}

void lowering::compute(int at) {
  work_for(at);
  node const& n = node_at(at);
  int& value = primal_[static_cast<std::size_t>(at)];
  switch (calculus::kind_of(n)) {
    case kind::input:
    case kind::term: return;  // made where it is read
    case kind::stopped:
    case kind::renamed: value = primal(n.operands[0]); return;
    case kind::selection: value = make_columns(at, primal(n.operands[0]), n.first_feature, name_of(at), meaning_of(at)); return;
    case kind::joining: value = join_operands(at, primal_, name_of(at), meaning_of(at)); return;
    case kind::sum:
    case kind::scale:
    case kind::hadamard:
    case kind::token_scale:
    case kind::repetition:
    case kind::reduction:
    case kind::norm:
    case kind::product:
    case kind::pointwise:
    case kind::rotation:
    case kind::coupling: value = make(at, name_of(at), meaning_of(at)); return emit_operation(at, value);
  }
}

void lowering::emit_operation(int at, int into) {
  node const& n = node_at(at);
  auto operand = [&](std::size_t k) { return tile_of(primal(n.operands[k])); };
  switch (calculus::kind_of(n)) {
    case kind::sum: return emit_sum(at, into);
    case kind::scale: emit(scaling_of(n), at, {operand(0)}, {into}); return;
    case kind::hadamard: emit(opcode::hadamard, at, {operand(0), operand(1)}, {into}); return;
    case kind::token_scale: emit(opcode::scale_rows, at, {operand(1), operand(0)}, {into}); return;
    case kind::repetition: emit(opcode::repeat_sequences, at, {whole_of(computed(n.operands[0]))}, {into}); return;
    case kind::reduction:
      if (n.operation == op::mean) emit(opcode::row_means, at, {operand(0)}, {into});
      else emit(opcode::row_dots, at, {operand(0), operand(1)}, {into});
      return;
    case kind::norm: emit(opcode::norm, at, {operand(0)}, {into}); return;
    case kind::product:
      emit(opcode::multiply, at, {operand(0)}, {into});
      program_.stages.back().instructions.back().with_bias = n.has_bias;
      return;
    case kind::pointwise: emit(opcode::activate, at, {operand(0)}, {into}); return;
    case kind::rotation: emit(opcode::rope, at, {operand(0)}, {into}); return;
    case kind::coupling:
      emit(opcode::attend, at, {operand(0), whole_of(primal(n.operands[1])), whole_of(primal(n.operands[2]))}, {into});
      return;
    case kind::input:
    case kind::term:
    case kind::stopped:
    case kind::renamed:
    case kind::selection:
    case kind::joining: break;
  }
  internal_error("no instruction computes " + std::string(calculus::rule_of(n).word));
}

int lowering::primal(int at) {
  if (calculus::kind_of(node_at(at)) != kind::term) return primal_[static_cast<std::size_t>(at)];
  return emit(opcode::repeat, at, {}, {make(at, names_(wanted_name(at)), meaning_of(at))});
}

/// A value that an instruction writes, as a cache keeps it: of an input, a copy.
int lowering::computed(int at) {
  if (calculus::kind_of(node_at(at)) != kind::input) return primal(at);
  return emit(opcode::copy, -1, {tile_of(primal(at))}, {make(at, names_(name_of(at)), meaning_of(at))});
}

/// A term is added as it is; of two, one that is no vector.
void lowering::emit_sum(int at, int into) {
  node const& n = node_at(at);
  bool const is_difference = n.operation == op::subtract;
  auto is_term = [&](std::size_t k) { return calculus::kind_of(node_at(n.operands[k])) == kind::term; };
  auto is_number = [&](std::size_t k) { return is_term(k) && node_at(n.operands[k]).operation != op::learned_vector; };
  if (!is_term(0) && !is_term(1)) {
    emit(is_difference ? opcode::subtract : opcode::add, at, {tile_of(primal(n.operands[0])), tile_of(primal(n.operands[1]))},
         {into});
    return;
  }
  std::size_t const term = is_number(0) || !is_term(1) ? 0 : 1;
  opcode const what = !is_difference ? opcode::add_term : term == 0 ? opcode::subtract_from_term : opcode::subtract_term;
  emit(what, n.operands[term], {tile_of(primal(n.operands[1 - term]))}, {into});
}

void lowering::deliver(int value, int at, std::string name, port which) {
  work_for(at);
  if (value >= 0 && program_[value].place == home::tile && program_[value].base < 0) {
    program_[value].place = home::result;
    program_[value].at = which;
    program_[value].name = std::move(name);
    return;
  }
  std::string meaning = value < 0 ? "0" : program_[value].meaning;
  int const result = make(at, std::move(name), std::move(meaning), home::result, which);
  if (value < 0) emit(opcode::zero, -1, {}, {result});
  else emit(opcode::copy, -1, {tile_of(value)}, {result});
}

int factor_application::apply(factor which, int at, std::size_t k, int to, bool adjoint, std::string const& name,
                              std::string const& meaning) {
  node const& n = node_at(at);
  auto operand = [&](std::size_t i) { return tile_of(primal(n.operands[i])); };
  auto result = [&] { return make(adjoint ? n.operands[k] : at, names_(name), meaning); };
  switch (which) {
    case factor::identity: return to;
    case factor::negative: return emit(opcode::scale, -1, {tile_of(to)}, {result()});
    case factor::scalar:
    case factor::vector: return emit(scaling_of(n), at, {tile_of(to)}, {result()});
    case factor::other:
      if (calculus::kind_of(n) == kind::token_scale) return emit(opcode::scale_rows, at, {operand(1), tile_of(to)}, {result()});
      return emit(opcode::hadamard, at, {tile_of(to), operand(1 - k)}, {result()});
    case factor::column:
    case factor::row: {  // a column takes a number to a row of numbers, and its adjoint is a row; the other way round
      bool const to_number = adjoint == (which == factor::column);
      return emit(to_number ? opcode::row_dots : opcode::scale_rows, at, {tile_of(to), operand(1 - k)}, {result()});
    }
    case factor::mean: return emit(adjoint ? opcode::spread_means : opcode::row_means, at, {tile_of(to)}, {result()});
    case factor::repetition:
      return emit(adjoint ? opcode::sum_sequences : opcode::repeat_sequences, at, {whole_of(to)}, {result()});
    case factor::activation: return emit(opcode::slope, at, {operand(0), tile_of(to)}, {result()});
    case factor::norm: return emit(adjoint ? opcode::norm_vjp : opcode::norm_jvp, at, {operand(0), tile_of(to)}, {result()});
    case factor::matrix: return emit(adjoint ? opcode::multiply_transposed : opcode::multiply, at, {tile_of(to)}, {result()});
    case factor::rotation: return emit(adjoint ? opcode::rope_transposed : opcode::rope, at, {tile_of(to)}, {result()});
    case factor::none:
    case factor::stopped:
    case factor::selection:  // its adjoint is a join, once all columns have their cotangents
    case factor::insertion:  // and that one's are columns
    case factor::queries:    // an attention's three factors are applied together
    case factor::keys:
    case factor::values: break;
  }
  internal_error("the derivative of " + std::string(calculus::rule_of(n).word) + " by its operand " + std::to_string(k) +
                 " is not lowered");
}

}  // namespace residua::codegen
