#include <fmt/format.h>

#include <algorithm>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <residua/codegen/targets/cpp/stage.hpp>
#include <set>

namespace residua::codegen {

namespace {

/// Scratch of one stage: the buffers as members, carved in one order wherever it is made.
std::string emit_scratch(block_plan const& block, tile_program const& tile, std::size_t at, std::string const& struct_name) {
  stage const& here = tile.code.stages[at];
  std::string members;
  std::string carving;
  auto matrix = [&](std::string const& name, axis_value const& width) {
    members += fmt::format("  rt::matrix<Real> {};  // {}\n", name, shape_comment("rows", width));
    carving += fmt::format("    {} = carve.take<Real>(rt::tile_rows, {}).rows_from(0, rows);\n", name, extent(width, "w.e"));
  };
  for (int v : tile_values(tile.code, here)) {
    value const& each = tile.code[v];
    if (each.place == home::kept) matrix(each.name, each.width);
    if (each.place != home::partial) continue;
    members += fmt::format("  Real* {};  // ({})\n", each.name, each.width.name.empty() ? "" : each.width.name);
    carving += fmt::format("    {} = carve.take_vector<Real>({});\n", each.name, extent(each.width, "w.e"));
  }
  std::vector<slot> const& buffers = tile.buffers[at];
  for (std::size_t i = 0; i < buffers.size(); ++i) matrix(fmt::format("buffer_{}", i), buffers[i].width);
  std::set<std::string> attentions;
  for (instruction const& i : here.instructions)
    if (is_attention(i.what)) attentions.insert(block.options_of(i.node));
  if (!attentions.empty()) {
    members += "  void* attention;\n";
    carving += "    rt::index most = 0;\n";
    for (std::string const& each : attentions)
      carving += fmt::format(
          "    if (rt::attention_scratch_bytes<Real>({0}) > most) most = rt::attention_scratch_bytes<Real>({0});\n", each);
    carving += "    attention = carve.take_vector<std::byte>(most);\n";
  }
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

/// The names of the values in a stage or its sums, each a view of its buffer or of the tile's rows of all tokens.
std::string emit_views(program const& code, std::vector<int> const& values, std::string const& struct_name, bool attends) {
  std::string out;
  std::string columns;
  bool scratch = attends;
  for (int v : values) {
    value const& each = code[v];
    if (each.base >= 0)
      columns +=
          fmt::format("  [[maybe_unused]] auto const {} = {}.columns_from({}, {});  // {}\n", each.name,
                      code[code.base_of(v)].name, each.first, extent(each.width, "w.e"), shape_comment("rows", each.width));
    else if (each.place == home::tile && each.slot >= 0)
      out +=
          fmt::format("  auto const {} = scratch.buffer_{};  // {}\n", each.name, each.slot, shape_comment("rows", each.width));
    else if (each.place == home::kept || each.place == home::partial)
      out += fmt::format("  [[maybe_unused]] auto const {0} = scratch.{0};\n", each.name);
    else if (each.place != home::tile)
      out += fmt::format("  [[maybe_unused]] auto const {0} = all.{0}.rows_from(first, rows);  // {1}\n", each.name,
                         shape_comment("rows", each.width));
    scratch = scratch || each.place == home::tile || each.place == home::kept || each.place == home::partial;
  }
  std::string const carved = fmt::format("  [[maybe_unused]] {}<Real> const scratch(w, rows, memory);\n", struct_name);
  return (scratch ? carved : "") + out + columns;
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

std::string emit_sums(block_plan const& block, stage const& at) {
  program const& code = block.vjp.code;
  std::string out;
  int vectors = 0;
  for (gradient_sum const& sum : at.sums) {
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

std::string emit_clearing(program const& code, std::vector<int> const& values) {
  std::string out;
  for (int v : values)
    if (code[v].place == home::partial)
      out += fmt::format("  rt::zero<Arch>(rt::as_row({}, {}));\n", code[v].name, extent(code[v].width, "w.e"));
  return out;
}

/// The options of attentions and rotations, as constants.
std::string emit_options(block_plan const& block) {
  std::string out;
  for (std::size_t i = 0; i < block.graph.nodes.size(); ++i) {
    node const& n = block.graph.nodes[i];
    if (!block.options.contains(static_cast<int>(i))) continue;  // neither, or nothing comes of it
    if (n.operation == op::attend) {
      graph::attention_value const& a = *n.attention;
      out += fmt::format("inline constexpr rt::attention_options {}{{.heads = {}, .kv_heads = {}, .head_width = {}, .scale = {}",
                         block.options_of(static_cast<int>(i)), a.heads, a.kv_heads, a.head_width, a.scale);
      if (a.softcap > 0) out += fmt::format(", .softcap = {}", a.softcap);
      if (a.causal) out += ", .causal = true";
      if (a.window > 0) out += fmt::format(", .window = {}", a.window);
      if (a.alibi) out += ", .alibi = true";
      out += "};\n";
    }
    if (n.operation == op::rope) {
      graph::rope_value const& r = n.attention->rope;
      out += fmt::format("inline constexpr rt::rope_options {}{{.heads = {}, .head_width = {}, .rotary_width = {}, .base = {}",
                         block.options_of(static_cast<int>(i)), n.groups, n.attention->head_width, r.width, r.base);
      if (r.interleaved) out += ", .interleaved = true";
      if (r.factor != 1)
        out += fmt::format(", .factor = {}, .low = {}, .high = {}, .old_length = {}", r.factor, r.low, r.high, r.old_length);
      out += "};\n";
    }
  }
  return out.empty() ? out : out + "\n";
}

/// What a call works on, each for all tokens: its arguments, its results, what passes from stage to stage.
std::string emit_call(block_plan const& block, tile_program const& tile, std::string const& program) {
  std::string members;
  std::string carving;
  for (std::size_t v = 0; v < tile.code.values.size(); ++v) {
    value const& each = tile.code.values[v];
    std::string const tokens = each.rows == rows_of::stream ? "tokens" : "memory_tokens";
    if (is_argument(each.place))
      members += fmt::format("  rt::matrix<Real const> {};  // {}\n", each.name, shape_comment(tokens, each.width));
    if (is_result(each.place) || (each.place == home::whole && each.base < 0))
      members += fmt::format("  rt::matrix<Real> {};  // {}\n", each.name, shape_comment(tokens, each.width));
    if (each.place != home::whole || each.base >= 0) continue;
    carving +=
        fmt::format("    {} = carve.take<Real>({}, {});\n", each.name,
                    each.rows == rows_of::stream ? "sequences.rows()" : "sequences.memory_rows()", extent(each.width, "w.e"));
  }
  if (&tile == &block.forward)
    for (cached_value const& kept : block.cached) {
      members += fmt::format("  rt::matrix<Real> {};  // {}: what attention reads, this call's own or a cache's\n", kept.name,
                             shape_comment("tokens", tile.code[kept.value].width));
      carving += fmt::format("    {} = {};\n", kept.name, whole_of(tile.code, kept.value).substr(4));
    }
  if (block.has_attention()) {
    members += "  rt::token_layout positions;  // of the stream's tokens\n";
    carving += "    positions = sequences.of_stream();\n";
    if (block.reads_memory()) {
      members += "  rt::token_layout memory_positions;\n";
      carving += "    memory_positions = sequences.of_memory();\n";
    }
    for (std::size_t i = 0; i < block.graph.nodes.size(); ++i) {
      if (!block.layouts.contains(static_cast<int>(i))) continue;
      members += fmt::format("  rt::token_layout {};\n", block.layout_of(static_cast<int>(i)));
      carving += fmt::format("    {} = sequences.{};\n", block.layout_of(static_cast<int>(i)),
                             block.layout_between(static_cast<int>(i)));
    }
  }
  return fmt::format(R"(/// What {0} works on, each for all tokens: arguments, results, and what passes from stage to stage.
template <class Real>
struct {0}_call {{
{1}
  /// Takes what passes between stages from `memory` and gives the bytes of it.
  rt::index carve([[maybe_unused]] operands<Real> const& w, [[maybe_unused]] rt::call_sequences const& sequences, void* memory) {{
    rt::carver carve(memory);
{2}    return carve.bytes();
  }}
}};

)",
                     program, members, carving);
}

/// One program: what it works on, the scratch and the function of each stage.
std::string emit_program(block_plan const& block, tile_program const& tile, std::string const& program, std::string const& what) {
  std::string out = emit_call(block, tile, program);
  for (std::size_t at = 0; at < tile.code.stages.size(); ++at) {
    stage const& here = tile.code.stages[at];
    std::string const name = stage_name(tile, program, at);
    std::vector<int> const values = tile_values(tile.code, here);
    bool const attends = std::ranges::any_of(here.instructions, is_attention, &instruction::what);
    out += emit_scratch(block, tile, at, name + "_scratch");
    out += fmt::format(R"(/// {0}
template <class Arch, class Real>
void {1}([[maybe_unused]] operands<Real> const& w, {2}_call<Real> const& all, rt::index first, rt::index rows,
         [[maybe_unused]] void* memory) {{
{3}{4}{5}}}

)",
                       what, name, program, emit_views(tile.code, values, name + "_scratch", attends),
                       emit_clearing(tile.code, values), emit_stage(block, tile.code, here));
    if (program != "vjp") continue;
    std::vector<int> summed;
    for (gradient_sum const& sum : here.sums)
      for (int v : {sum.a, sum.b})
        if (v >= 0 && std::ranges::find(summed, v) == summed.end()) add_with_base(tile.code, summed, v);
    out += fmt::format(R"(/// Adds a tile's gradients to `into`; part `part` of `parts`, so that threads share no output.
template <class Arch, class Real>
void {0}_sums([[maybe_unused]] operands<Real> const& w, [[maybe_unused]] vjp_call<Real> const& all,
              [[maybe_unused]] rt::index first, [[maybe_unused]] rt::index rows, [[maybe_unused]] void* memory,
              [[maybe_unused]] rt::index part, [[maybe_unused]] rt::index parts,
              [[maybe_unused]] gradient_operands<Real> const& into) {{
{1}{2}}}

)",
                       name, emit_views(tile.code, summed, name + "_scratch", false), emit_sums(block, here));
  }
  return out;
}

/// &forward_0<Arch, Real>, &forward_1<Arch, Real>
std::string emit_stage_list(tile_program const& tile, std::string const& program, std::string const& suffix = "") {
  std::string out;
  for (std::size_t at = 0; at < tile.code.stages.size(); ++at)
    out += fmt::format("{}&{}{}<Arch, Real>", out.empty() ? "" : ", ", stage_name(tile, program, at), suffix);
  return out;
}

}  // namespace

std::string stage_name(tile_program const& tile, std::string const& program, std::size_t at) {
  return tile.code.stages.size() == 1 ? program : fmt::format("{}_{}", program, at);
}

std::string emit_tiles(block_plan const& block, options const& chosen) {
  std::string selectors;
  for (std::string const& set : chosen.instruction_sets)
    selectors += fmt::format("template <class Real>\ntile_functions<Real> const& {}_tiles();\n", set);
  std::string const attention =
      block.has_attention()
          ? "#include <residua/rt/kernels/attention/forward.hpp>\n#include <residua/rt/kernels/attention/gradient.hpp>\n#include <residua/rt/kernels/rope.hpp>\n"
          : "";

  return fmt::format(
      R"(// Tile programs of {0}: what happens to at most rt::tile_rows rows. Generated by Residua.
#pragma once

#include <{1}/{0}.hpp>
#include <residua/rt/kernels/activation.hpp>
{2}#include <residua/rt/kernels/elementwise.hpp>
#include <residua/rt/kernels/epilogue.hpp>
#include <residua/rt/kernels/multiply.hpp>
#include <residua/rt/kernels/norm.hpp>
#include <residua/rt/interface/tile_loop.hpp>

namespace {1}::{0}::detail {{

{3}{4}{5}{6}{7}/// The tile programs of one instruction set, a function for each stage.
template <class Real>
struct tile_functions {{
  void (*forward[{8}])(operands<Real> const&, forward_call<Real> const&, rt::index first, rt::index rows, void*);
  void (*jvp[{9}])(operands<Real> const&, jvp_call<Real> const&, rt::index first, rt::index rows, void*);
  void (*vjp[{10}])(operands<Real> const&, vjp_call<Real> const&, rt::index first, rt::index rows, void*);
  void (*vjp_sums[{10}])(operands<Real> const&, vjp_call<Real> const&, rt::index first, rt::index rows, void*, rt::index part,
                        rt::index parts, gradient_operands<Real> const&);
}};

template <class Arch, class Real>
inline constexpr tile_functions<Real> tiles_for{{{{{11}}}, {{{12}}}, {{{13}}}, {{{14}}}}};

{15}
}}  // namespace {1}::{0}::detail
)",
      block.name, chosen.library, attention, emit_operands(block), emit_options(block),
      emit_program(block, block.forward, "forward", fmt::format("y = {}(x)", block.name)),
      emit_program(block, block.jvp, "jvp", fmt::format("y = {}(x), dy = J dx", block.name)),
      emit_program(block, block.vjp, "vjp", "gx = J^T g; leaves in memory what the sums add up."),
      block.forward.code.stages.size(), block.jvp.code.stages.size(), block.vjp.code.stages.size(),
      emit_stage_list(block.forward, "forward"), emit_stage_list(block.jvp, "jvp"), emit_stage_list(block.vjp, "vjp"),
      emit_stage_list(block.vjp, "vjp", "_sums"), selectors);
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
