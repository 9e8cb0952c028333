#include <fmt/format.h>
#include <residua/calculus/text/expression.hpp>
#include <residua/calculus/text/operator.hpp>
#include <residua/calculus/route.hpp>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <residua/codegen/parameter_tree.hpp>

namespace residua::codegen {

namespace {

std::string text_of(graph::writer const& out) { return std::string(out.view()); }

std::string shape_text(graph::shape_value const& shape) {
  graph::writer out;
  graph::write(out, shape);
  return text_of(out);
}

/// The content of a string literal.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// Breaks a long line of a comment at spaces.
std::string wrapped(std::string_view text, std::string const& indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t const space = text.find(' ');
    std::string_view const word = text.substr(0, space);
    if (column > 0 && column + word.size() > 100) {
      out += "\n" + indent;
      column = 0;
    } else if (column > 0) {
      out += " ";
    }
    out += word;
    column += word.size() + 1;
    text = space == text.npos ? std::string_view{} : text.substr(space + 1);
  }
  return out;
}

std::string arguments(std::vector<axis_value> const& shape) {
  std::string out;
  for (axis_value const& axis : shape) out += (out.empty() ? "" : ", ") + extent(axis);
  return out;
}

std::string axis_names(std::vector<axis_value> const& shape) {
  std::string out;
  for (axis_value const& axis : shape) out += (out.empty() ? "" : ", ") + std::string(axis.name);
  return out;
}

/// The nested structs of a parameters struct: tensors with their shapes, structs for the parts of a path.
class struct_writer {
 public:
  explicit struct_writer(block_plan const& block) : block_(block) {}

  /// `path`: of the struct, as the start of the names of those inside, which have to differ from it.
  std::string members(parameter_tree const& at, std::string const& path, std::string const& indent) const {
    std::string out;
    for (parameter_tree const& each : at.children)
      if (!each.is_tensor()) out += nested(each, path + each.name, indent);
    for (parameter_tree const& each : at.children) out += member(each, path + each.name, indent);
    return out;
  }

  /// Where extents are chosen at run time, everything is initialised from them.
  std::string initializers(parameter_tree const& at, std::string const& path) const {
    std::string out;
    for (parameter_tree const& each : at.children) {
      if (each.is_tensor())
        out += fmt::format(", {}(rt::zeros<Real>({}))", each.name, arguments(block_.parameters[each.tensor].shape));
      else if (each.layers > 0) out += fmt::format(", {}(rt::layers<{}_type, {}>(e))", each.name, path + each.name, each.layers);
      else out += fmt::format(", {}(e)", each.name);
    }
    return out;
  }

 private:
  bool at_run_time() const { return !block_.run_time_widths.empty(); }

  std::string nested(parameter_tree const& each, std::string const& path, std::string const& indent) const {
    parameter_tree const& content = each.layers > 0 ? each.children[0] : each;
    std::string out = fmt::format("{}struct {}_type {{\n", indent, path) + members(content, path + "_", indent + "  ");
    if (at_run_time()) {
      std::string const list = initializers(content, path + "_");
      out += fmt::format("\n{}  explicit {}_type([[maybe_unused]] extents const& e) : {} {{}}\n", indent, path, list.substr(2));
    }
    return out + indent + "};\n";
  }

  std::string member(parameter_tree const& each, std::string const& path, std::string const& indent) const {
    if (!each.is_tensor()) {
      if (each.layers > 0) return fmt::format("{}std::array<{}_type, {}> {};\n", indent, path, each.layers, each.name);
      return fmt::format("{}{}_type {};\n", indent, path, each.name);
    }
    std::vector<axis_value> const& shape = block_.parameters[each.tensor].shape;
    std::string const initial = at_run_time() ? "" : fmt::format(" = rt::zeros<Real>({})", arguments(shape));
    return fmt::format("{}rt::tensor<Real, {}> {}{};  // ({})\n", indent, shape.size(), each.name, initial, axis_names(shape));
  }

  block_plan const& block_;
};

std::string emit_parameters(block_plan const& block, parameter_tree const& tree) {
  struct_writer const writer(block);
  std::string sizes;
  std::string constructor;
  if (!block.run_time_widths.empty()) {
    sizes = "  extents sizes;\n";
    constructor = fmt::format("\n  explicit parameters(extents const& e) : sizes(e){} {{}}\n", writer.initializers(tree, ""));
  }
  return fmt::format(R"(/// The parameters, each tensor born at its shape with zeros. Files are <path>.npy, one for each tensor.
template <class Real>
struct parameters {{
{}{}{}
  /// Reads all tensors from a folder; throws std::runtime_error and changes nothing where a file is missing, surplus
  /// or of another shape.
  void load(std::filesystem::path const& folder) {{ rt::load_parameters<Real>(folder, rt::slots_of<Real>(*this)); }}
  void save(std::filesystem::path const& folder) const {{ rt::save_parameters<Real>(folder, rt::slots_of<Real>(*this)); }}
}};

)",
                     sizes, writer.members(tree, "", "  "), constructor);
}

std::string emit_for_each(block_plan const& block, parameter_tree const& tree, std::string const& qualifier) {
  std::string calls;
  for (auto const& [tensor, member] : member_paths(tree))
    calls += fmt::format("  f(std::string_view(\"{}\"), {});\n", block.parameters[tensor].path, member);
  return fmt::format(R"(template <class Real, class Function>
void for_each([[maybe_unused]] parameters<Real>{}& p, [[maybe_unused]] Function&& f) {{
{}}}
)",
                     qualifier, calls);
}

/// The axes of an argument; `width` is the last one's extent.
std::string emit_rules(graph::shape_value const& shape, axis_value const& width) {
  std::string out;
  for (std::size_t i = 0; i < shape.rank; ++i) {
    bool const feature = i + 1 == shape.rank;
    std::string const size = feature                                 ? extent(width, "sizes_")
                             : shape.axes[i].extent == graph::run_time ? "0"
                                                                     : extent(shape.axes[i]);
    out += fmt::format("{}rt::extent_rule{{\"{}\", {}}}", i > 0 ? ", " : "", shape.axes[i].name, size);
  }
  return out;
}

std::string emit_storage(block_plan const& block) {
  std::string out;
  for (parameter_tensor const& t : block.parameters.all())
    out += fmt::format("  rt::{}<Real> {}_;\n", t.is_matrix() ? "packed_weights" : "vector_weights", t.member);
  return out;
}

/// What a cache keeps of every token.
std::string emit_cache_rules(block_plan const& block) {
  std::string out = fmt::format("  static constexpr bool can_step = {};  // token by token, with a cache\n", block.can_step());
  if (!block.can_step()) return out;
  std::string rules;
  for (cached_value const& each : block.cached)
    rules += fmt::format("{}{{{}, {}, {}}}", rules.empty() ? "" : ", ", each.width, each.window, each.of_memory);
  return out +
         fmt::format("  static constexpr std::array<rt::cache_rule, {}> cache_rules{{{{{}}}}};\n", block.cached.size(), rules);
}

/// The calls of a kernel, with the shapes of its arguments.
std::string emit_usage(block_plan const& block) {
  graph::shape_value const& out = block.graph.result().shape;
  if (!block.reads_memory())
    return fmt::format(
        "///   k.forward(x)                    x: {}, gives {}\n///   k.jvp(x, dx), k.vjp(x, dy), k.jacobian(x), "
        "k.jacobian_trace(x)\n{}",
        shape_text(block.graph.input().shape), shape_text(out),
        block.can_step()
            ? "///   k.step(x, cache)               the tokens that follow those in the cache, which k.make_cache makes\n"
            : "");
  return fmt::format(
      "///   k.forward(x, memory)            x: {}, memory: {}, gives {}\n///   k.jvp(x, memory, dx, dmemory), k.vjp(x, memory, "
      "dy), k.jacobian(x, memory)\n{}",
      shape_text(block.graph.input().shape), shape_text(block.graph.input(1).shape), shape_text(out),
      block.can_step()
          ? "///   k.step(x, cache)               the tokens that follow those in the cache, which k.make_cache makes\n"
          : "");
}

/// The memory's axes, and how many of them have the extents of the stream's.
std::string emit_memory_rules(block_plan const& block) {
  if (!block.reads_memory()) return "";
  graph::shape_value const& x = block.graph.input().shape;
  graph::shape_value const& memory = block.graph.input(1).shape;
  std::size_t shared = 0;
  while (shared + 1 < memory.rank && memory.axes[shared] == x.axes[shared]) ++shared;
  if (memory.rank != x.rank || shared + 2 < memory.rank)
    throw std::invalid_argument("residua: the stream " + shape_text(x) + " and the memory " + shape_text(memory) +
                                " must have the same axes before that of their tokens");
  return fmt::format(
      "  std::array<rt::extent_rule, {}> memory_rules() const {{ return {{{}}}; }}\n  static constexpr std::size_t shared_axes() "
      "{{ return {}; }}\n",
      memory.rank, emit_rules(memory, memory.feature()), shared);
}

std::string emit_run_declarations(block_plan const& block) {
  std::string out;
  auto declare = [&](std::string const& program, std::string const& arguments) {
    out += fmt::format("  rt::index {}_whole_bytes(rt::call_sequences const& sequences) const;\n", program);
    out +=
        fmt::format("  void run_{}({}rt::call_sequences const& sequences, rt::call_memory& memory) const;\n", program, arguments);
  };
  declare("forward", pointer_list(block.forward));
  declare("jvp", pointer_list(block.jvp));
  declare("vjp", pointer_list(block.vjp) + "parameters<Real>& into, ");
  if (block.can_step()) {
    out +=
        "  void run_step(Real const* x, Real* y, rt::call_sequences const& sequences, rt::token_cache<Real>& cache, "
        "rt::call_memory& memory) const;\n";
    if (block.reads_memory())
      out +=
          "  void run_memory(Real const* m, rt::call_sequences const& sequences, rt::token_cache<Real>& cache, rt::call_memory& "
          "memory) const;\n";
  }
  return out;
}

std::string emit_extents(block_plan const& block) {
  if (block.run_time_widths.empty()) return "";
  std::string members;
  for (axis_value const& axis : block.run_time_widths) members += fmt::format("  rt::index {};\n", axis.name);
  return fmt::format("/// The widths that are chosen when the parameters are made.\nstruct extents {{\n{}}};\n\n", members);
}

}  // namespace

std::string emit_header(block_plan const& block, options const& chosen) {
  graph_view const& graph = block.graph;
  parameter_tree const tree = grow_tree(block.parameters);
  calculus::expression_text const values(graph);
  graph::writer expression;
  values.write_block(expression);
  std::string const expression_text = quoted(expression.view());
  calculus::linear_operator const jacobian = calculus::derive(graph);
  graph::writer formula;
  calculus::operator_text(graph, jacobian, calculus::notation::text).write(formula, jacobian.root);
  graph::shape_value const& in = graph.input().shape;
  graph::shape_value const& out = graph.result().shape;
  bool const sized = !block.run_time_widths.empty();
  std::string scalars;
  for (std::string const& scalar : chosen.scalars) scalars += fmt::format("extern template class kernel<{}>;\n", scalar);

  return fmt::format(
      R"(// {0}: {1}
//   stream   {2}{29}
//   result   {3}
//   Jacobian {4}
//   identity {5}
// Generated by Residua from the block's definition.
#pragma once

#include <residua/rt/interface/{23}.hpp>

#include <array>
#include <filesystem>
#include <string_view>

namespace {6}::{0} {{

namespace rt = residua::rt;

{7}{8}/// f(path, tensor) for each parameter, in the order of use.
{9}{10}
/// What vjp returns: J^T dy and the gradients of the parameters.
template <class Real>
struct gradient {{
  rt::tensor<Real, {11}> x;
{24}  ::{6}::{0}::parameters<Real> parameters;
}};

namespace detail {{
template <class Real>
struct operands;
template <class Real>
struct tile_functions;
}}  // namespace detail

/// Forward, JVP, VJP, Jacobian of {0}; see residua/rt/interface/{23}.hpp for the functions and their errors.
///   kernel<float> k(p);             packs the parameters; const, and safe from several threads, from here on
///   k.update(p);                    packs again after a training step
{25}template <class Real>
class kernel : public rt::{26}<kernel<Real>, Real, {11}, {12}> {{
 public:
  static constexpr std::string_view expression = "{13}";
  static constexpr std::string_view jacobian_text = "{14}";

  explicit kernel(parameters<Real> const& p);
  void update(parameters<Real> const& p);
  rt::instruction_set instructions() const {{ return set_; }}

  static constexpr bool couples_tokens = {22};
{30}
 private:
  friend rt::{26}<kernel<Real>, Real, {11}, {12}>;

  std::array<rt::extent_rule, {11}> input_rules() const {{ return {{{15}}}; }}
  std::array<rt::extent_rule, {12}> output_rules() const {{ return {{{16}}}; }}
{27}  rt::scratch_bytes bytes() const {{ return bytes_; }}
  gradient<Real> make_gradient() const {{ return {{{28}, parameters<Real>{17}}}; }}
{21}  void check(parameters<Real> const& p) const;
  rt::index revision() const {{ return revision_; }}
  detail::operands<Real> operands(bool with_transposed) const;

{18}{19}  rt::index revision_ = 0;  // of the parameters; a cache knows it
  rt::scratch_bytes bytes_;
  rt::instruction_set set_;
  detail::tile_functions<Real> const* tiles_;
}};

{20}
}}  // namespace {6}::{0}
)",
      block.name, wrapped(expression.view(), "//   "), shape_text(in), shape_text(out), wrapped(formula.view(), "//            "),
      calculus::find_identity_route(graph).text().view(), chosen.library, emit_extents(block), emit_parameters(block, tree),
      emit_for_each(block, tree, ""), emit_for_each(block, tree, " const"), in.rank, out.rank, expression_text,
      quoted(formula.view()), emit_rules(in, in.feature()), emit_rules(out, block.result_width), sized ? "(sizes_)" : "{}",
      emit_storage(block), sized ? "  extents sizes_;\n" : "", scalars, emit_run_declarations(block), block.has_attention(),
      block.reads_memory() ? "memory_kernel" : "kernel",
      block.reads_memory() ? fmt::format("  rt::tensor<Real, {}> memory;\n", in.rank) : "", emit_usage(block),
      block.reads_memory() ? "memory_kernel" : "block_kernel", emit_memory_rules(block), block.reads_memory() ? "{}, {}" : "{}",
      block.reads_memory() ? "\n//   memory   " + shape_text(graph.input(1).shape) : "", emit_cache_rules(block));
}

}  // namespace residua::codegen
