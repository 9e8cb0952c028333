#include <fmt/format.h>
#include <residua/codegen/emit.hpp>

namespace residua::codegen {

namespace {

using calculus::role;

std::string number(double value) { return fmt::format("Real({})", value); }

/// Writes the calls of one tile program.
class tile_writer {
 public:
  tile_writer(block_plan const& block, tile_program const& tile) : block_(block), program_(tile.code) {}

  std::string body() const {
    std::string out;
    for (instruction const& i : program_.instructions) out += statement(i);
    return out;
  }

 private:
  std::string const& name(int value) const { return program_[value].name; }
  node const& node_at(int at) const { return block_.graph.nodes[static_cast<std::size_t>(at)]; }
  std::string_view word(int at) const { return calculus::rule_of(node_at(at).operation).word; }

  /// w.N_weight, or nullptr where the node has none.
  std::string parameter(int at, role which) const {
    int const found = block_.parameters.find(node_at(at), which);
    return found < 0 ? "nullptr" : "w." + block_.parameters[found].member;
  }
  std::string partial(instruction const& i, std::size_t which) const {
    return i.partials[which] < 0 ? "nullptr" : name(i.partials[which]);
  }

  std::string constant(int at) const { return number(at < 0 ? -1.0 : node_at(at).number); }

  std::string statement(instruction const& i) const {
    std::string const comment = i.result < 0 ? "" : fmt::format("  // {} = {}\n", name(i.result), program_[i.result].meaning);
    return comment + "  " + call(i) + ";\n";
  }

  std::string call(instruction const& i) const {
    auto in = [&](std::size_t k) -> std::string const& { return name(i.inputs[k]); };
    std::string const result = i.result < 0 ? "" : name(i.result);
    switch (i.what) {
      case code::copy: return fmt::format("rt::copy<Arch>({}, {})", in(0), result);
      case code::zero: return fmt::format("rt::zero<Arch>({})", result);
      case code::multiply:
        return fmt::format("rt::multiply<Arch>({}, {}, {}, rt::chain{{{}}})", in(0), parameter(i.node, role::weight), result,
                           epilogue(i));
      case code::multiply_transposed:
        return fmt::format("rt::multiply<Arch>({}, {}_transposed, {}, rt::chain{{{}}})", in(0), parameter(i.node, role::weight),
                           result, epilogue(i));
      case code::norm: return fmt::format("rt::{}<Arch>({}, {}, {})", word(i.node), in(0), norm_arguments(i.node, true), result);
      case code::norm_jvp:
        return fmt::format("rt::{}_jvp<Arch>({}, {}, {}, {})", word(i.node), in(0), norm_arguments(i.node, false), in(1), result);
      case code::norm_vjp: {
        std::string const bias = node_at(i.node).operation == op::layer_norm ? ", " + partial(i, 1) : "";
        return fmt::format("rt::{}_vjp<Arch>({}, {}, {}, {}, {}{})", word(i.node), in(0), norm_arguments(i.node, false), in(1),
                           result, partial(i, 0), bias);
      }
      case code::activate: return fmt::format("rt::activate<Arch, rt::activation::{}>({}, {})", word(i.node), in(0), result);
      case code::slope:
        return fmt::format("rt::activate_jvp<Arch, rt::activation::{}>({}, {}, {})", word(i.node), in(0), in(1), result);
      case code::add: return fmt::format("rt::add<Arch>({}, {}, {})", in(0), in(1), result);
      case code::subtract: return fmt::format("rt::subtract<Arch>({}, {}, {})", in(0), in(1), result);
      case code::scale: return fmt::format("rt::scale<Arch>({}, {}, {})", constant(i.node), in(0), result);
      case code::scale_by: return fmt::format("rt::scale<Arch>(*{}, {}, {})", parameter(i.node, role::itself), in(0), result);
      case code::scale_columns:
        return fmt::format("rt::scale_columns<Arch>({}, {}, {})", parameter(i.node, role::itself), in(0), result);
      case code::hadamard: return fmt::format("rt::hadamard<Arch>({}, {}, {})", in(0), in(1), result);
      case code::column_sums: return fmt::format("rt::accumulate_column_sums<Arch>({}, {})", in(0), partial(i, 0));
      case code::column_dots: return fmt::format("rt::accumulate_column_dots<Arch>({}, {}, {})", in(0), in(1), partial(i, 0));
      case code::dot: return fmt::format("*{} += rt::dot<Arch>({}, {})", partial(i, 0), in(0), in(1));
    }
    return {};
  }

  /// weight, [bias,] offset, epsilon
  std::string norm_arguments(int at, bool with_bias) const {
    node const& n = node_at(at);
    bool const bias = with_bias && n.operation == op::layer_norm;
    return fmt::format("{}, {}{}, {}", parameter(at, role::weight), bias ? parameter(at, role::bias) + ", " : "",
                       n.unit_offset ? 1 : 0, n.number);
  }

  std::string epilogue(instruction const& i) const {
    std::string parts;
    auto add = [&](std::string const& part) { parts += (parts.empty() ? "" : ", ") + part; };
    if (i.with_bias) add(fmt::format("rt::plus_vector{{{}}}", parameter(i.node, role::bias)));
    for (epilogue_part const& part : i.epilogue) add(epilogue_call(part));
    return parts;
  }

  std::string epilogue_call(epilogue_part const& part) const {
    std::string const other = part.other < 0 ? "" : name(part.other);
    if (part.keep) return fmt::format("rt::kept{{{}}}", other);
    switch (part.what) {
      case code::add: return fmt::format("rt::plus{{{}}}", other);
      case code::subtract: return fmt::format("rt::{}{{{}}}", part.reversed ? "subtracted_from" : "minus", other);
      case code::hadamard: return fmt::format("rt::times{{{}}}", other);
      case code::activate: return fmt::format("rt::activated<rt::activation::{}>{{}}", word(part.node));
      case code::slope: return fmt::format("rt::slope_at<rt::activation::{}>({})", word(part.node), other);
      case code::scale: return fmt::format("rt::scaled<Real>{{{}}}", constant(part.node));
      case code::scale_by: return fmt::format("rt::scaled<Real>{{*{}}}", parameter(part.node, role::itself));
      default: return fmt::format("rt::scaled_columns{{{}}}", parameter(part.node, role::itself));
    }
  }

  block_plan const& block_;
  program const& program_;
};

/// Scratch of one program: the buffers as members, carved in one order wherever it is made.
std::string emit_scratch(tile_program const& tile, std::string const& struct_name) {
  std::string members;
  std::string carving;
  auto matrix = [&](std::string const& name, axis_value const& width) {
    members += fmt::format("  rt::matrix<Real> {};  // {}\n", name, shape_comment("rows", width));
    carving += fmt::format("    {} = carve.take<Real>(rt::tile_rows, {}).rows_from(0, rows);\n", name, extent(width, "w.e"));
  };
  for (value const& v : tile.code.values) {
    if (v.place == home::kept) matrix(v.name, v.width);
    if (v.place != home::partial) continue;
    members += fmt::format("  Real* {};  // ({})\n", v.name, v.width.name.empty() ? "" : v.width.name);
    carving += fmt::format("    {} = carve.take_vector<Real>({});\n", v.name, extent(v.width, "w.e"));
  }
  for (std::size_t i = 0; i < tile.buffers.size(); ++i) matrix(fmt::format("buffer_{}", i), tile.buffers[i].width);
  return fmt::format(R"(template <class Real>
struct {0} {{
{1}  rt::index bytes;

  [[gnu::always_inline]] {0}([[maybe_unused]] operands<Real> const& w, [[maybe_unused]] rt::index rows, void* memory) {{
    rt::carver carve(memory);
{2}    bytes = carve.bytes();
  }}
}};

)",
                     struct_name, members, carving);
}

/// The names of a program's values, each a view of its buffer.
std::string emit_views(program const& code) {
  std::string out;
  for (value const& v : code.values) {
    if (v.place == home::tile && v.slot >= 0)
      out += fmt::format("  auto const {} = scratch.buffer_{};  // {}\n", v.name, v.slot, shape_comment("rows", v.width));
    if (v.place == home::kept || v.place == home::partial) out += fmt::format("  auto const {0} = scratch.{0};\n", v.name);
  }
  return out;
}

std::string emit_scratch_use(tile_program const& tile, std::string const& struct_name) {
  std::string const views = emit_views(tile.code);
  if (views.empty()) return "";
  return fmt::format("  {}<Real> const scratch(w, x.rows, memory);\n{}", struct_name, views);
}

std::string emit_operands(block_plan const& block) {
  std::string members;
  std::string gradient_members;
  for (parameter_tensor const& t : block.parameters.all()) {
    if (t.is_matrix()) {
      members += fmt::format("  rt::packed_view<Real> {0};             // ({1}, {2})\n  rt::packed_view<Real> {0}_transposed;\n",
                             t.member, t.shape[0].name, t.shape[1].name);
      gradient_members += fmt::format("  rt::matrix<Real> {};\n", t.member);
    } else {
      members += fmt::format("  Real const* {};  // ({})\n", t.member, t.shape.empty() ? "" : t.shape[0].name);
      gradient_members += fmt::format("  Real* {};\n", t.member);
    }
  }
  return fmt::format(R"(/// What a tile reads of the parameters. Transposed weights are there for gradients only.
template <class Real>
struct operands {{
{}{}}};

/// Where the gradients of the parameters are summed.
template <class Real>
struct gradient_operands {{
{}}};

)",
                     block.run_time_widths.empty() ? "" : "  extents e;\n", members, gradient_members);
}

std::string emit_sums(block_plan const& block) {
  program const& code = block.vjp.code;
  std::string out;
  int vectors = 0;
  for (gradient_sum const& sum : code.sums) {
    parameter_tensor const& t = block.parameters[sum.parameter];
    if (sum.b >= 0) {
      std::string const rows = extent(t.shape[0], "w.e");
      out += fmt::format(
          "  // {0} += {1}^T {2}\n  rt::accumulate_outer<Arch>({1}, {2}, into.{3}, {4} * part / parts, {4} * (part + 1) / "
          "parts);\n",
          t.path, code[sum.a].name, code[sum.b].name, t.member, rows);
    } else {
      out += fmt::format(
          "  if (part == {} % parts) rt::copy<Arch, rt::update::accumulate>(rt::as_row({}, {}), rt::as_row(into.{}, {}));\n",
          vectors++, code[sum.a].name, extent(code[sum.a].width, "w.e"), t.member, extent(code[sum.a].width, "w.e"));
    }
  }
  return out;
}

std::string emit_sum_views(block_plan const& block) {
  std::string out;
  for (value const& v : block.vjp.code.values)
    if (v.place == home::kept || v.place == home::partial)
      out += fmt::format("  [[maybe_unused]] auto const {0} = scratch.{0};\n", v.name);
  return out.empty() ? out : "  vjp_scratch<Real> const scratch(w, x.rows, memory);\n" + out;
}

std::string emit_clearing(program const& code) {
  std::string out;
  for (value const& v : code.values)
    if (v.place == home::partial) out += fmt::format("  rt::zero<Arch>(rt::as_row({}, {}));\n", v.name, extent(v.width, "w.e"));
  return out;
}

}  // namespace

std::string emit_tiles(block_plan const& block, options const& chosen) {
  std::string selectors;
  for (std::string const& set : chosen.instruction_sets)
    selectors += fmt::format("template <class Real>\ntile_functions<Real> const& {}_tiles();\n", set);

  return fmt::format(
      R"(// Tile programs of {0}: what happens to at most {1} rows. Generated by Residua.
#pragma once

#include <{2}/{0}.hpp>
#include <residua/rt/activation.hpp>
#include <residua/rt/elementwise.hpp>
#include <residua/rt/epilogue.hpp>
#include <residua/rt/multiply.hpp>
#include <residua/rt/norm.hpp>
#include <residua/rt/tile_loop.hpp>

namespace {2}::{0}::detail {{

{3}{4}{5}{6}/// y = {0}(x)
template <class Arch, class Real>
void forward([[maybe_unused]] operands<Real> const& w, rt::matrix<Real const> x, rt::matrix<Real> y, [[maybe_unused]] void* memory) {{
{7}{8}}}

/// y = {0}(x), dy = J dx
template <class Arch, class Real>
void jvp([[maybe_unused]] operands<Real> const& w, rt::matrix<Real const> x, rt::matrix<Real const> dx, rt::matrix<Real> y,
         rt::matrix<Real> dy, [[maybe_unused]] void* memory) {{
{9}{10}}}

/// gx = J^T g; leaves in memory what sum_gradients adds up.
template <class Arch, class Real>
void vjp([[maybe_unused]] operands<Real> const& w, [[maybe_unused]] rt::matrix<Real const> x, rt::matrix<Real const> g,
         rt::matrix<Real> gx, [[maybe_unused]] void* memory) {{
{11}{12}{13}}}

/// Adds a tile's gradients to `into`; part `part` of `parts`, so that threads share no output.
template <class Arch, class Real>
void sum_gradients([[maybe_unused]] operands<Real> const& w, [[maybe_unused]] rt::matrix<Real const> x,
                   [[maybe_unused]] rt::matrix<Real const> g, [[maybe_unused]] void* memory, [[maybe_unused]] rt::index part,
                   [[maybe_unused]] rt::index parts, [[maybe_unused]] gradient_operands<Real> const& into) {{
{14}{15}}}

/// The tile programs of one instruction set.
template <class Real>
struct tile_functions {{
  void (*forward)(operands<Real> const&, rt::matrix<Real const>, rt::matrix<Real>, void*);
  void (*jvp)(operands<Real> const&, rt::matrix<Real const>, rt::matrix<Real const>, rt::matrix<Real>, rt::matrix<Real>, void*);
  void (*vjp)(operands<Real> const&, rt::matrix<Real const>, rt::matrix<Real const>, rt::matrix<Real>, void*);
  void (*sum_gradients)(operands<Real> const&, rt::matrix<Real const>, rt::matrix<Real const>, void*, rt::index, rt::index,
                        gradient_operands<Real> const&);
}};

template <class Arch, class Real>
inline constexpr tile_functions<Real> tiles_for{{&forward<Arch, Real>, &jvp<Arch, Real>, &vjp<Arch, Real>, &sum_gradients<Arch, Real>}};

{16}
}}  // namespace {2}::{0}::detail
)",
      block.name, "rt::tile_rows", chosen.library, emit_operands(block), emit_scratch(block.forward, "forward_scratch"),
      emit_scratch(block.jvp, "jvp_scratch"), emit_scratch(block.vjp, "vjp_scratch"),
      emit_scratch_use(block.forward, "forward_scratch"), tile_writer(block, block.forward).body(),
      emit_scratch_use(block.jvp, "jvp_scratch"), tile_writer(block, block.jvp).body(),
      emit_scratch_use(block.vjp, "vjp_scratch"), emit_clearing(block.vjp.code), tile_writer(block, block.vjp).body(),
      emit_sum_views(block), emit_sums(block), selectors);
}

std::string emit_instruction_set(block_plan const& block, options const& chosen, std::string const& set) {
  std::string definitions;
  for (std::string const& scalar : chosen.scalars)
    definitions += fmt::format(
        "template <>\ntile_functions<{0}> const& {1}_tiles<{0}>() {{\n  return tiles_for<rt::{1}, {0}>;\n}}\n", scalar, set);
  return fmt::format(R"(// {0} for the instruction set {1}. Generated by Residua.
#include <{2}/{0}.tiles.hpp>

namespace {2}::{0}::detail {{

{3}
}}  // namespace {2}::{0}::detail
)",
                     block.name, set, chosen.library, definitions);
}

}  // namespace residua::codegen
