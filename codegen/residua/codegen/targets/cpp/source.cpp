#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <residua/codegen/targets/cpp/stage.hpp>
#include <residua/codegen/parameter_tree.hpp>

namespace residua::codegen {

std::string extent(axis_value const& axis, std::string const& from) {
  return axis.extent == graph::run_time ? fmt::format("{}.{}", from, axis.name) : std::to_string(axis.extent);
}

std::string shape_comment(std::string const& rows, axis_value const& axis) {
  graph::writer width;
  graph::write(width, axis);
  return fmt::format("({}, {})", rows, width.view());
}

namespace {

std::string size_of(parameter_tensor const& t) {
  std::string out;
  for (axis_value const& axis : t.shape) out += (out.empty() ? "" : " * ") + extent(axis, "sizes_");
  return out.empty() ? "1" : out;
}

std::string emit_checks(block_plan const& block, std::map<int, std::string> const& members) {
  std::string out;
  for (std::size_t i = 0; i < block.parameters.all().size(); ++i) {
    parameter_tensor const& t = block.parameters.all()[i];
    std::string rules;
    for (axis_value const& axis : t.shape)
      rules += fmt::format("{}rt::extent_rule{{\"{}\", {}}}", rules.empty() ? "" : ", ", axis.name, extent(axis, "sizes_"));
    out += fmt::format("  rt::require_shape(\"{}\", {}, std::array<rt::extent_rule, {}>{{{}}});\n", t.path,
                       members.at(static_cast<int>(i)), t.shape.size(), rules);
  }
  return out;
}

std::string emit_packing(block_plan const& block, std::map<int, std::string> const& members) {
  std::string out;
  for (std::size_t i = 0; i < block.parameters.all().size(); ++i) {
    parameter_tensor const& t = block.parameters.all()[i];
    std::string const& member = members.at(static_cast<int>(i));
    if (t.is_matrix())
      out += fmt::format("  {}_.pack({}.data(), {}, {});\n", t.member, member, extent(t.shape[0], "sizes_"),
                         extent(t.shape[1], "sizes_"));
    else out += fmt::format("  {}_.copy({}.data(), {});\n", t.member, member, size_of(t));
  }
  return out;
}

std::string emit_operand_list(block_plan const& block) {
  std::string out;
  auto add = [&](std::string const& each) { out += (out.empty() ? "" : ", ") + each; };
  if (!block.run_time_widths.empty()) add("sizes_");
  for (parameter_tensor const& t : block.parameters.all()) {
    add(t.member + "_.view()");
    if (t.is_matrix()) add(fmt::format("with_transposed ? {}_.transposed() : rt::packed_view<Real>{{}}", t.member));
  }
  return out;
}

std::string emit_gradient_list(block_plan const& block, std::map<int, std::string> const& members) {
  std::string out;
  for (std::size_t i = 0; i < block.parameters.all().size(); ++i) {
    parameter_tensor const& t = block.parameters.all()[i];
    std::string const data = members.at(static_cast<int>(i)) + ".data()";
    std::string const columns = t.is_matrix() ? extent(t.shape[1], "sizes_") : "";
    out += t.is_matrix() ? fmt::format("{}{{{}, {}, {}, {}}}", out.empty() ? "" : ", ", data, extent(t.shape[0], "sizes_"),
                                       columns, columns)
                         : fmt::format("{}{}", out.empty() ? "" : ", ", data);
  }
  return out;
}

std::string emit_clearing(block_plan const& block, std::map<int, std::string> const& members) {
  std::string out;
  for (std::size_t i = 0; i < block.parameters.all().size(); ++i)
    out += fmt::format("  {}.fill(0);\n", members.at(static_cast<int>(i)));
  return out;
}

std::string emit_selection(options const& chosen) {
  std::string cases;
  for (std::string const& set : chosen.instruction_sets)
    if (set != "baseline") cases += fmt::format("    case rt::instruction_set::{0}: return &{0}_tiles<Real>();\n", set);
  return fmt::format("  switch (set) {{\n{}    default: return &baseline_tiles<Real>();\n  }}\n", cases);
}

std::string emit_set_list(options const& chosen) {
  std::string out;
  for (std::string const& set : chosen.instruction_sets)
    out += fmt::format("{}rt::instruction_set::{}", out.empty() ? "" : ", ", set);
  return out;
}

/// The most scratch that a stage of each program needs for a tile, and the memory for all tokens.
std::string emit_bytes(block_plan const& block) {
  std::string out = "  [[maybe_unused]] detail::operands<Real> const w = operands(false);\n";
  auto most = [&](tile_program const& tile, std::string const& program) {
    std::string list;
    for (std::size_t at = 0; at < tile.code.stages.size(); ++at)
      list += fmt::format("{}detail::{}_scratch<Real>(w, rt::tile_rows, nullptr).bytes", list.empty() ? "" : ", ",
                          stage_name(tile, program, at));
    out += fmt::format("  bytes_.{} = rt::most_of({{{}}});\n", program, list);
  };
  most(block.forward, "forward");
  most(block.jvp, "jvp");
  most(block.vjp, "vjp");
  return out;
}

/// The values that a caller gives or gets, in the order of pointer_list.
std::vector<value> arguments_of(tile_program const& tile) {
  std::vector<value> list;
  for (home place : {home::input, home::memory, home::tangent, home::memory_tangent, home::cotangent, home::output,
                     home::output_tangent, home::input_gradient, home::memory_gradient})
    for (value const& each : tile.code.values)
      if (each.place == place) list.push_back(each);
  return list;
}

/// all.x = {x, sequences.rows(), 768, 768}; of one stream's tokens, or of both.
std::string emit_setting(tile_program const& tile, std::optional<rows_of> only = {}) {
  std::string out;
  for (value const& each : arguments_of(tile))
    if (!only || each.rows == *only)
      out += fmt::format("  all.{0} = {{{0}, sequences.{1}, {2}, {2}}};\n", each.name,
                         each.rows == rows_of::stream ? "rows()" : "memory_rows()", extent(each.width, "sizes_"));
  return out;
}

std::string start_of_call(tile_program const& tile, std::string const& program, bool transposed) {
  return fmt::format(
      "  [[maybe_unused]] detail::operands<Real> const w = operands({0});\n  detail::{1}_call<Real> all{{}};\n{2}  all.carve(w, "
      "sequences, memory.whole());\n",
      transposed, program, emit_setting(tile));
}

std::string rows_text(stage const& at) { return at.rows == rows_of::stream ? "sequences.rows()" : "sequences.memory_rows()"; }

std::string emit_whole_bytes(std::string const& program) {
  return fmt::format(R"(template <class Real>
rt::index kernel<Real>::{0}_whole_bytes(rt::call_sequences const& sequences) const {{
  return detail::{0}_call<Real>{{}}.carve(operands(false), sequences, nullptr);
}}

)",
                     program);
}

std::string emit_stage_run(std::string const& program, stage const& here, std::size_t at) {
  return fmt::format(
      "  rt::for_each_tile({}, memory.tiles(), [&](rt::index first, rt::index rows, void* scratch) {{\n    "
      "tiles_->{}[{}](w, all, first, rows, scratch);\n  }});\n",
      rows_text(here), program, at);
}

std::string emit_run(tile_program const& tile, std::string const& program) {
  std::string stages;
  for (std::size_t at = 0; at < tile.code.stages.size(); ++at) stages += emit_stage_run(program, tile.code.stages[at], at);
  return emit_whole_bytes(program) + fmt::format(R"(template <class Real>
void kernel<Real>::run_{0}({1}rt::call_sequences const& sequences, rt::call_memory& memory) const {{
{2}{3}}}

)",
                                                 program, pointer_list(tile), start_of_call(tile, program, false), stages);
}

/// The forward program on new tokens, or on the memory's: what is kept of them goes into the cache when its stage is done,
/// and attention reads it there.
std::string emit_cached_run(block_plan const& block, rows_of rows) {
  program const& code = block.forward.code;
  bool const stream = rows == rows_of::stream;
  std::string body;
  for (std::size_t i = 0; i < block.cached.size() && stream; ++i)
    body += fmt::format("  all.{} = cache.rows({});\n", block.cached[i].name, i);
  for (stage const& each : code.stages)
    for (instruction const& i : each.instructions)
      if (i.what == code::attend && code[i.result].rows == rows_of::stream && stream)
        body += fmt::format("  all.{} = cache.layout({}, sequences.tokens);\n", block.layout_of(i.node),
                            block.cached_at(code, i.inputs[1]) - block.cached.data());
  for (std::size_t at = 0; at < code.stages.size(); ++at) {
    if (code.stages[at].rows != rows) continue;
    body += emit_stage_run("forward", code.stages[at], at);
    for (instruction const& i : code.stages[at].instructions)
      for (int written : writes_of(i))
        for (std::size_t k = 0; k < block.cached.size(); ++k)
          if (code.base_of(block.cached[k].value) == written)
            body += fmt::format("  cache.append({}, {}, sequences.{});\n", k, whole_of(code, block.cached[k].value),
                                stream ? "tokens" : "memory_tokens");
  }
  return fmt::format(R"(template <class Real>
void kernel<Real>::run_{}({}, rt::call_sequences const& sequences, rt::token_cache<Real>& cache,
                          rt::call_memory& memory) const {{
  [[maybe_unused]] detail::operands<Real> const w = operands(false);
  detail::forward_call<Real> all{{}};
{}  all.carve(w, sequences, memory.whole());
{}}}

)",
                     stream ? "step" : "memory", stream ? "Real const* x, Real* y" : "Real const* m",
                     emit_setting(block.forward, rows), body);
}

std::string emit_step(block_plan const& block) {
  if (!block.can_step()) return "";
  return (block.reads_memory() ? emit_cached_run(block, rows_of::memory) : "") + emit_cached_run(block, rows_of::stream);
}

std::string emit_run_vjp(block_plan const& block, std::map<int, std::string> const& into) {
  std::string stages;
  for (std::size_t at = 0; at < block.vjp.code.stages.size(); ++at) {
    stage const& here = block.vjp.code.stages[at];
    std::string const rows_body = fmt::format(
        "[&](rt::index first, rt::index rows, void* scratch) {{ tiles_->vjp[{0}](w, all, first, rows, scratch); }}", at);
    stages += here.sums.empty() ? fmt::format("  rt::for_each_tile({}, memory.tiles(), {});\n", rows_text(here), rows_body)
                                : fmt::format(
                                      "  rt::for_each_tile_round(\n      {0}, memory.tiles(),\n      {1},\n      [&](rt::index "
                                      "first, rt::index rows, void* scratch, rt::index part, rt::index parts) {{\n        "
                                      "tiles_->vjp_sums[{2}](w, all, first, rows, scratch, part, parts, sums);\n      }});\n",
                                      rows_text(here), rows_body, at);
  }
  return emit_whole_bytes("vjp") + fmt::format(R"(template <class Real>
void kernel<Real>::run_vjp({0}[[maybe_unused]] parameters<Real>& into, rt::call_sequences const& sequences, rt::call_memory& memory) const {{
  check(into);
{1}  [[maybe_unused]] detail::gradient_operands<Real> const sums{{{2}}};
{3}{4}}}

)",
                                               pointer_list(block.vjp), emit_clearing(block, into),
                                               emit_gradient_list(block, into), start_of_call(block.vjp, "vjp", true), stages);
}

}  // namespace

std::string pointer_list(tile_program const& tile) {
  std::string out;
  for (value const& each : arguments_of(tile))
    out += fmt::format("Real{}* {}, ", is_argument(each.place) ? " const" : "", each.name);
  return out;
}

std::string emit_source(block_plan const& block, options const& chosen) {
  std::map<int, std::string> const members = member_paths(grow_tree(block.parameters));
  std::map<int, std::string> into = members;
  for (auto& [tensor, member] : into) member = "into" + member.substr(1);
  bool const sized = !block.run_time_widths.empty();
  std::string instances;
  for (std::string const& scalar : chosen.scalars) instances += fmt::format("template class kernel<{}>;\n", scalar);
  std::string positive;
  for (axis_value const& axis : block.run_time_widths)
    positive += fmt::format(
        "  if (sizes_.{0} < 1) throw std::invalid_argument(\"extents: {0} is \" + std::to_string(sizes_.{0}) + \", must be 1 or "
        "more\");\n",
        axis.name);
  for (auto const& [fresh, old] : block.renamed_widths)
    positive += fmt::format(R"(  if (sizes_.{0} != {1})
    throw std::invalid_argument("extents: {0} is " + std::to_string(sizes_.{0}) + ", must be " + std::to_string({1}) + ": it is {2}, renamed");
)",
                            fresh.name, extent(old, "sizes_"), old.name);

  return fmt::format(
      R"(// The kernel of {0}: packing, the loops over tiles, the choice of the instruction set. Generated by Residua.
#include <{1}/{0}.tiles.hpp>

namespace {1}::{0} {{

namespace detail {{
namespace {{

template <class Real>
tile_functions<Real> const* tiles_of(rt::instruction_set set) {{
{2}}}

}}  // namespace
}}  // namespace detail

template <class Real>
kernel<Real>::kernel(parameters<Real> const& p)
    : {3}set_(rt::selected_among(std::array{{{4}}})), tiles_(detail::tiles_of<Real>(set_)) {{
{5}  update(p);
{13}}}

template <class Real>
void kernel<Real>::check([[maybe_unused]] parameters<Real> const& p) const {{
{6}}}

template <class Real>
void kernel<Real>::update([[maybe_unused]] parameters<Real> const& p) {{
  check(p);
  revision_ = rt::next_revision();
{7}}}

template <class Real>
detail::operands<Real> kernel<Real>::operands([[maybe_unused]] bool with_transposed) const {{
  return {{{8}}};
}}

{9}{10}{11}{12}
}}  // namespace {1}::{0}
)",
      block.name, chosen.library, emit_selection(chosen), sized ? "sizes_(p.sizes), " : "", emit_set_list(chosen), positive,
      emit_checks(block, members), emit_packing(block, members), emit_operand_list(block), emit_run(block.forward, "forward"),
      emit_run(block.jvp, "jvp"), emit_run_vjp(block, into), emit_step(block) + instances, emit_bytes(block));
}

}  // namespace residua::codegen
