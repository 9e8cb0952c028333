#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/names.hpp>
#include <residua/codegen/targets/cpp/calls.hpp>
#include <residua/codegen/targets/cpp/stage.hpp>
#include <residua/codegen/targets/text.hpp>

namespace residua::codegen {

namespace {

void add_once(std::vector<int>& list, int value) {
  if (value >= 0 && std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// The values of a stage's tile in the order of its instructions, arguments and results included.
std::vector<int> values_of(stage const& at) {
  std::vector<int> list;
  for (instruction const& i : at.instructions) {
    for (operand const& each : i.inputs)
      if (each.how == access::tile) add_once(list, each.value);
    for (epilogue_part const& part : i.epilogue) add_once(list, part.other);
    for (int result : i.results) add_once(list, result);
    for (int partial : i.partials) add_once(list, partial);
  }
  return list;
}

std::vector<int> values_of_sums(stage const& at) {
  std::vector<int> list;
  for (gradient_sum const& sum : at.sums) {
    add_once(list, sum.a);
    add_once(list, sum.b);
  }
  return list;
}

/// The values of one stage's function: each as its buffer or partial, the tile's rows of a matrix of all tokens, or columns.
class view_writer {
 public:
  view_writer(source_names const& names, named_program const& program, stage_memory const& memory)
      : names_(names), program_(program), memory_(memory) {}

  /// Columns stand behind the values that they are columns of.
  std::string views(std::vector<int> const& values) {
    std::string out;
    for (bool columns : {false, true})
      for (int each : values)
        if ((value_at(each).base >= 0) == columns) out += view(each);
    return out;
  }

 private:
  value const& value_at(int at) const { return program_.tile.code[at]; }

  /// auto const ln_1_ = t.buffer(0);  // (rows, d = 768)
  std::string view(int at) {
    value const& each = value_at(at);
    std::string const shape = each.place != home::partial ? fmt::format("(rows, {})", axis_text(each.width))
                              : each.width.name.empty()   ? "(1)"
                                                          : fmt::format("({})", axis_text(each.width));
    std::string const place = place_of(at);
    named_.insert(at);
    return fmt::format("  auto const {name} = {place};  // {shape}\n", fmt::arg("name", program_.value(at)),
                       fmt::arg("place", place), fmt::arg("shape", shape));
  }

  std::string place_of(int at) const {
    value const& each = value_at(at);
    if (named_.contains(at)) return program_.value(at);
    if (each.base >= 0) return fmt::format("{}.columns_from({}, {})", place_of(each.base), each.first, names_.extent(each.width));
    if (is_whole(each.place)) return fmt::format("t.rows_of({})", program_.entry(memory_.rows.at(at)));
    return fmt::format("t.{}({})", each.place == home::partial ? "partial" : "buffer", each.slot);
  }

  source_names const& names_;
  named_program const& program_;
  stage_memory const& memory_;
  std::set<int> named_;
};

std::string views(source_names const& names, named_program const& program, std::size_t at, std::vector<int> const& values) {
  return view_writer(names, program, program.tile.memory[at]).views(values);
}

std::string title(block_plan const& block, named_program const& program, std::size_t at) {
  graph_view const& graph = block.graph;
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) arguments.emplace_back(graph.input(k).symbol);
  auto each = [](std::size_t count, std::string const& prefix, auto const& name) {
    std::vector<std::string> list;
    for (std::size_t k = 0; k < count; ++k) list.push_back(prefix + name(k));
    return joined(list);
  };
  auto argument = [&](std::size_t k) { return arguments[k]; };
  std::string const y = each(graph.outputs.size(), "", result_name), dy = each(graph.outputs.size(), "d", result_name);
  std::string const x = each(graph.streams, "d", argument), gx = each(graph.streams, "g", argument);
  std::string const value = fmt::format("{} = {}({})", y, block.name, joined(arguments));
  std::string const what = program.name == "forward" ? value
                           : program.name == "jvp"
                               ? fmt::format("{}, {} = J {}", value, dy, graph.streams > 1 ? "(" + x + ")" : x)
                               : fmt::format("{} = J^T g, and what the gradients of the parameters are summed from", gx);
  std::size_t const stages = program.tile.code.stages.size();
  return stages == 1 ? what : fmt::format("{}, stage {} of {}", what, at + 1, stages);
}

/// One term of a parameter's gradient; vectors are shared out one by one, matrices by rows.
std::string sum(block_plan const& block, source_names& names, named_program const& program, std::size_t at,
                gradient_sum const& each, int vector) {
  parameter_tensor const& parameter = block.parameters[each.parameter];
  std::string const into = fmt::format("into.matrix_of({})", parameter_place(names, program.tile.memory[at], each.parameter));
  std::string const a = program.value(each.a);
  if (each.b < 0)
    return fmt::format(
        "  // {path} += {a}\n"
        "  if (part == {number} % parts) t.kernels.accumulate(rt::as_row({a}, {width}), {into});\n",
        fmt::arg("path", parameter.path), fmt::arg("a", a), fmt::arg("number", vector), fmt::arg("into", into),
        fmt::arg("width", names.extent(program.tile.code[each.a].width)));
  return fmt::format(
      "  // {path} += {a}^T {b}\n"
      "  t.kernels.accumulate_outer({a}, {b}, {into}, {rows} * part / parts, {rows} * (part + 1) / parts);\n",
      fmt::arg("path", parameter.path), fmt::arg("a", a), fmt::arg("b", program.value(each.b)), fmt::arg("into", into),
      fmt::arg("rows", names.extent(parameter.shape[0])));
}

}  // namespace

std::string emit_stage(block_plan const& block, source_names& names, named_program const& program, std::size_t at) {
  stage const& here = program.tile.code.stages[at];
  std::string calls;
  for (instruction const& i : here.instructions) calls += emit_call(block, names, program, program.tile.memory[at], i);
  return fmt::format(
      "/// {title}\n"
      "template <class Real>\n"
      "void {program}_{number}({unused}rt::tile<Real> const& t) {{\n"
      "{views}{calls}"
      "}}\n\n",
      fmt::arg("title", title(block, program, at)), fmt::arg("program", program.name), fmt::arg("number", at),
      fmt::arg("unused", calls.empty() ? "[[maybe_unused]] " : ""), fmt::arg("views", views(names, program, at, values_of(here))),
      fmt::arg("calls", calls));
}

std::string emit_sums(block_plan const& block, source_names& names, named_program const& program, std::size_t at) {
  stage const& here = program.tile.code.stages[at];
  if (here.sums.empty()) return "";
  std::string sums;
  int vectors = 0;
  for (gradient_sum const& each : here.sums) sums += sum(block, names, program, at, each, each.b < 0 ? vectors++ : 0);
  return fmt::format(
      "/// Adds a tile's gradients to `into`; part `part` of `parts`, so that threads share no output.\n"
      "template <class Real>\n"
      "void {program}_{number}_sums(rt::tile<Real> const& t, rt::gradient_sums<Real> const& into, rt::index part, rt::index "
      "parts) {{\n"
      "{views}{sums}"
      "}}\n\n",
      fmt::arg("program", program.name), fmt::arg("number", at),
      fmt::arg("views", views(names, program, at, values_of_sums(here))), fmt::arg("sums", sums));
}

std::vector<int> attentions_of(stage const& at) {
  std::vector<int> list;
  for (instruction const& i : at.instructions)
    if (needs_attention_scratch(i.what)) add_once(list, i.node);
  return list;
}

}  // namespace residua::codegen
