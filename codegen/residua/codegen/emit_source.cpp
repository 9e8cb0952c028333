#include <fmt/format.h>
#include <residua/codegen/emit.hpp>
#include <residua/codegen/parameter_tree.hpp>

namespace residua::codegen {

std::string extent(axis_value const& axis, std::string const& from) {
  return axis.extent == dsl::run_time ? fmt::format("{}.{}", from, axis.name) : std::to_string(axis.extent);
}

std::string shape_comment(std::string const& rows, axis_value const& axis) {
  dsl::writer width;
  dsl::write(width, axis);
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

}  // namespace

std::string emit_source(block_plan const& block, options const& chosen) {
  graph_view const& graph = block.graph;
  std::map<int, std::string> const members = member_paths(grow_tree(block.parameters));
  std::map<int, std::string> into = members;
  for (auto& [tensor, member] : into) member = "into" + member.substr(1);
  bool const sized = !block.run_time_widths.empty();
  std::string const in = extent(graph.nodes[0].shape.feature(), "sizes_");
  std::string const out = extent(block.result_width, "sizes_");
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
  detail::operands<Real> const w = operands(false);
  bytes_ = {{detail::forward_scratch<Real>(w, rt::tile_rows, nullptr).bytes, detail::jvp_scratch<Real>(w, rt::tile_rows, nullptr).bytes,
            detail::vjp_scratch<Real>(w, rt::tile_rows, nullptr).bytes}};
}}

template <class Real>
void kernel<Real>::check([[maybe_unused]] parameters<Real> const& p) const {{
{6}}}

template <class Real>
void kernel<Real>::update([[maybe_unused]] parameters<Real> const& p) {{
  check(p);
{7}}}

template <class Real>
detail::operands<Real> kernel<Real>::operands([[maybe_unused]] bool with_transposed) const {{
  return {{{8}}};
}}

template <class Real>
void kernel<Real>::run_forward(Real const* x, Real* y, rt::index rows, rt::tile_memory& memory) const {{
  detail::operands<Real> const w = operands(false);
  rt::for_each_tile(rows, memory, [&](rt::index first, rt::index count, void* scratch) {{
    tiles_->forward(w, {{x + first * {9}, count, {9}, {9}}}, {{y + first * {10}, count, {10}, {10}}}, scratch);
  }});
}}

template <class Real>
void kernel<Real>::run_jvp(Real const* x, Real const* dx, Real* y, Real* dy, rt::index rows, rt::tile_memory& memory) const {{
  detail::operands<Real> const w = operands(false);
  rt::for_each_tile(rows, memory, [&](rt::index first, rt::index count, void* scratch) {{
    tiles_->jvp(w, {{x + first * {9}, count, {9}, {9}}}, {{dx + first * {9}, count, {9}, {9}}}, {{y + first * {10}, count, {10}, {10}}},
                {{dy + first * {10}, count, {10}, {10}}}, scratch);
  }});
}}

template <class Real>
void kernel<Real>::run_vjp(Real const* x, Real const* g, Real* gx, [[maybe_unused]] parameters<Real>& into, rt::index rows,
                           rt::tile_memory& memory) const {{
  check(into);
{11}  detail::operands<Real> const w = operands(true);
  detail::gradient_operands<Real> const sums{{{12}}};
  auto const tile = [](Real const* from, rt::index first, rt::index count, rt::index width) {{
    return rt::matrix<Real const>{{from + first * width, count, width, width}};
  }};
  rt::for_each_tile_round(
      rows, memory,
      [&](rt::index first, rt::index count, void* scratch) {{
        tiles_->vjp(w, tile(x, first, count, {9}), tile(g, first, count, {10}), {{gx + first * {9}, count, {9}, {9}}}, scratch);
      }},
      [&](rt::index first, rt::index count, void* scratch, rt::index part, rt::index parts) {{
        tiles_->sum_gradients(w, tile(x, first, count, {9}), tile(g, first, count, {10}), scratch, part, parts, sums);
      }});
}}

{13}
}}  // namespace {1}::{0}
)",
      block.name, chosen.library, emit_selection(chosen), sized ? "sizes_(p.sizes), " : "", emit_set_list(chosen), positive,
      emit_checks(block, members), emit_packing(block, members), emit_operand_list(block), in, out, emit_clearing(block, into),
      emit_gradient_list(block, into), instances);
}

}  // namespace residua::codegen
