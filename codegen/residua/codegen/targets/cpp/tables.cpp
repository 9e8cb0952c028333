#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/names.hpp>
#include <residua/codegen/targets/cpp/stage.hpp>
#include <residua/codegen/targets/cpp/tables.hpp>
#include <residua/codegen/targets/text.hpp>

namespace residua::codegen {

namespace {

struct row {
  std::string content;
  std::string comment{};
};

/// A table, one row a line; nothing where it has none.
std::string table(std::string_view type, std::string_view name, std::vector<row> const& rows) {
  if (rows.empty()) return "";
  std::string lines;
  for (row const& each : rows)
    lines += fmt::format("    {},{}\n", each.content, each.comment.empty() ? "" : "  // " + each.comment);
  return fmt::format("constexpr {} {}[] = {{\n{}}};\n\n", type, name, lines);
}

/// An enumeration in a scope of its own. A row's place is written where it does not follow from the one before.
struct enumerator {
  std::string name;
  int place = 0;
  std::string comment{};
};
std::string enumeration(std::string_view scope, std::vector<enumerator> const& rows) {
  if (rows.empty()) return "";
  std::string lines;
  int next = 0;
  for (enumerator const& each : rows) {
    std::string const place = each.place == next ? "" : fmt::format(" = {}", each.place);
    lines += fmt::format("  {}{},{}\n", each.name, place, each.comment.empty() ? "" : "  // " + each.comment);
    next = each.place + 1;
  }
  return fmt::format("namespace {} {{\nenum : rt::index {{\n{}}};\n}}  // namespace {}\n\n", scope, lines, scope);
}

std::string shape_comment(std::vector<axis_value> const& shape) {
  std::vector<std::string> axes;
  for (axis_value const& axis : shape) axes.push_back(axis_text(axis));
  return fmt::format("({})", joined(axes));
}

std::string attention_constant(node const& n) {
  graph::attention_value const& a = *n.attention;
  std::string out =
      fmt::format(".heads = {}, .kv_heads = {}, .head_width = {}, .scale = {}", a.heads, a.kv_heads, a.head_width, a.scale);
  if (a.softcap > 0) out += fmt::format(", .softcap = {}", a.softcap);
  if (a.causal) out += ", .causal = true";
  if (a.window > 0) out += fmt::format(", .window = {}", a.window);
  if (a.alibi) out += ", .alibi = true";
  return out;
}

std::string rope_constant(node const& n) {
  graph::rope_value const& r = n.attention->rope;
  std::string out = fmt::format(".heads = {}, .head_width = {}, .rotary_width = {}, .base = {}", n.groups,
                                n.attention->head_width, r.width, r.base);
  if (r.interleaved) out += ", .interleaved = true";
  if (r.factor != 1)
    out += fmt::format(", .factor = {}, .low = {}, .high = {}, .old_length = {}", r.factor, r.low, r.high, r.old_length);
  return out;
}

/// The axes of streams and parameters, each list once.
class shape_table {
 public:
  explicit shape_table(source_names const& names) : names_(names) {}

  /// shape_2, or {} for a scalar. The widths of a stream before its last are given by the call.
  std::string of_stream(graph::shape_value const& shape, axis_value const& feature) {
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < shape.rank; ++i) {
      axis_value const& axis = shape.axes[i];
      bool const last = i + 1 == shape.rank;
      axes.push_back(!last && axis.extent == graph::run_time ? fmt::format("{{\"{}\", {{}}}}", axis.name)
                                                             : axis_of(axis, last ? feature : axis));
    }
    return find(joined(axes));
  }
  std::string of_parameter(std::vector<axis_value> const& shape) {
    std::vector<std::string> axes;
    for (axis_value const& axis : shape) axes.push_back(axis_of(axis, axis));
    return axes.empty() ? "{}" : find(joined(axes));
  }

  std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      out += fmt::format("constexpr rt::axis_description shape_{}[] = {{{}}};\n", i, shapes_[i]);
    return out.empty() ? out : out + "\n";
  }

 private:
  /// {"d", {768}}
  std::string axis_of(axis_value const& axis, axis_value const& extent) const {
    return fmt::format("{{\"{}\", {}}}", axis.name, names_.width(extent));
  }
  std::string find(std::string const& axes) {
    auto const found = std::ranges::find(shapes_, axes);
    auto const at = found - shapes_.begin();
    if (found == shapes_.end()) shapes_.push_back(axes);
    return fmt::format("shape_{}", at);
  }

  source_names const& names_;
  std::vector<std::string> shapes_;
};

/// So many leading axes of a stream are as long as those of the first.
std::size_t shared_axes(graph::shape_value const& first, graph::shape_value const& other) {
  std::size_t shared = 0;
  while (shared + 1 < other.rank && shared + 1 < first.rank && other.axes[shared] == first.axes[shared]) ++shared;
  if (other.rank != first.rank || shared + 2 < other.rank)
    throw std::invalid_argument(fmt::format("residua: the streams {} and {} must have the same axes before that of their tokens",
                                            shape_text(first), shape_text(other)));
  return shared;
}

/// ", .tokens = 1", or nothing where a member has the value that it has anyway.
std::string unless_zero(std::string_view member, std::int64_t value) {
  return value == 0 ? "" : fmt::format(", .{} = {}", member, value);
}

row stream_row(std::string_view name, std::string const& axes, node const& n, std::size_t shared) {
  return {fmt::format("{{.name = \"{}\", .axes = {}{}{}}}", name, axes, unless_zero("tokens", n.tokens),
                      unless_zero("shared", static_cast<std::int64_t>(shared))),
          shape_text(n.shape)};
}

std::string stream_tables(block_plan const& block, shape_table& shapes) {
  std::vector<row> inputs;
  std::vector<row> outputs;
  graph_view const& graph = block.graph;
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    node const& input = graph.input(k);
    std::size_t const shared = k == 0 ? 0 : shared_axes(graph.input().shape, input.shape);
    inputs.push_back(stream_row(input.symbol, shapes.of_stream(input.shape, block.facts.width(graph.inputs[k])), input, shared));
  }
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    int const at = graph.output(k);
    node const& output = graph[at];
    std::size_t const shared = output.shape.rank - (output.tokens == 0 ? 1 : 2);
    outputs.push_back(stream_row(result_name(k), shapes.of_stream(output.shape, block.facts.width(at)), output, shared));
  }
  return table("rt::stream_description", "inputs", inputs) + table("rt::stream_description", "outputs", outputs);
}

std::string parameter_tables(block_plan const& block, shape_table& shapes) {
  std::vector<row> rows;
  for (parameter_tensor const& each : block.parameters.all())
    rows.push_back({fmt::format("{{\"{}\", {}}}", each.path, shapes.of_parameter(each.shape)), shape_comment(each.shape)});
  return table("rt::parameter_description", "parameters", rows);
}

std::string size_tables(block_plan const& block, source_names const& names) {
  std::vector<row> sizes;
  std::vector<row> renamed;
  for (axis_value const& axis : block.run_time_widths) sizes.push_back({fmt::format("\"{}\"", axis.name)});
  for (auto const& [fresh, old] : block.renamed_widths)
    renamed.push_back({fmt::format("{{.fresh = {}, .old = {{\"{}\", {}}}}}", names.size(fresh), old.name, names.width(old))});
  return table("std::string_view", "size_names", sizes) + table("rt::renamed_width", "renamed", renamed);
}

std::string attention_table(block_plan const& block) {
  std::vector<row> attentions;
  for (attention_use const& each : block.attentions) {
    graph::writer path;
    graph::write_path(path, block.graph, block.graph[each.node].scope);
    attentions.push_back(
        {fmt::format("{{.queries = {}, .keys = {}, .cached = {}}}", each.queries, each.keys, each.cached), text_of(path)});
  }
  return table("rt::attention_description", "attentions", attentions);
}

std::string cached_table(block_plan const& block, named_program const& forward) {
  std::vector<row> cached;
  for (cached_value const& each : block.cached)
    cached.push_back(
        {fmt::format("{{.seen = {seen}, .written = {written}, .stage = {stage}{tokens}, .columns = {columns}{window}}}",
                     fmt::arg("seen", forward.entry({each.seen, 0})), fmt::arg("written", forward.entry({each.written, 0})),
                     fmt::arg("stage", each.stage), fmt::arg("tokens", unless_zero("tokens", each.tokens)),
                     fmt::arg("columns", each.width), fmt::arg("window", unless_zero("window", each.window)))});
  return table("rt::cached_description", "cached", cached);
}

std::string_view kind_name(whole_row::kind is) {
  switch (is) {
    case whole_row::kind::argument: return "argument";
    case whole_row::kind::result: return "result";
    case whole_row::kind::between: return "between";
    case whole_row::kind::part: return "part";
    case whole_row::kind::seen: return "seen";
  }
  throw std::logic_error("residua: a matrix of no kind");
}

/// {.is = kind::part, .of = forward::attn_c_attn_, .columns = {768}, .first = {1536}}
std::string whole_content(source_names const& names, named_program const& program, whole_row const& each) {
  bool const views = each.is == whole_row::kind::part || each.is == whole_row::kind::seen;
  std::string const of = each.is == whole_row::kind::between ? ""
                         : views                             ? fmt::format(", .of = {}", program.entry({each.of, 0}))
                                                             : fmt::format(", .of = {}", each.of);
  std::string const first = each.first == 0 ? "" : fmt::format(", .first = {{{}}}", each.first);
  std::string const layers = each.layers == 1 ? "" : fmt::format(", .layers = {}", each.layers);
  return fmt::format("{{.is = kind::{kind}{of}{tokens}, .columns = {columns}{first}{layers}}}",
                     fmt::arg("kind", kind_name(each.is)), fmt::arg("of", of),
                     fmt::arg("tokens", unless_zero("tokens", each.tokens)), fmt::arg("columns", names.width(each.width)),
                     fmt::arg("first", first), fmt::arg("layers", layers));
}

std::string whole_table(source_names const& names, named_program const& program) {
  std::vector<row> rows;
  for (std::size_t i = 0; i < program.whole.size(); ++i)
    rows.push_back({whole_content(names, program, program.tile.whole[i]), program.whole[i]});
  return table("rt::whole_description", fmt::format("{}_whole", program.name), rows);
}

/// {.buffers = forward_0_buffers, .run = forward_0<Real>}, and before it the tables that it names.
std::string stage_row(source_names& names, named_program const& program, std::size_t at, std::string& tables) {
  std::string const stage_name = fmt::format("{}_{}", program.name, at);
  stage const& here = program.tile.code.stages[at];
  stage_memory const& memory = program.tile.memory[at];
  std::vector<std::string> fields;
  auto add = [&](std::string_view type, std::string_view field, std::vector<std::string> const& elements) {
    if (elements.empty()) return;
    tables += fmt::format("constexpr {type} {stage}_{field}[] = {{{elements}}};\n", fmt::arg("type", type),
                          fmt::arg("stage", stage_name), fmt::arg("field", field), fmt::arg("elements", joined(elements)));
    fields.push_back(fmt::format(".{field} = {stage}_{field}", fmt::arg("field", field), fmt::arg("stage", stage_name)));
  };
  if (here.tokens != 0) fields.push_back(fmt::format(".tokens = {}", here.tokens));
  std::vector<std::string> buffers, partials, attentions;
  for (slot const& each : memory.buffers) buffers.push_back(names.width(each.width));
  for (axis_value const& each : memory.partials) partials.push_back(names.width(each));
  for (int node : attentions_of(here)) attentions.push_back(names.options(node));
  add("rt::width", "buffers", buffers);
  add("rt::width", "partials", partials);
  add("rt::attention_options", "attentions", attentions);
  fields.push_back(fmt::format(".run = {}<Real>", stage_name));
  if (!here.sums.empty()) fields.push_back(fmt::format(".sum = {}_sums<Real>", stage_name));
  return fmt::format("{{{}}}", joined(fields));
}

}  // namespace

std::string emit_enumerations(block_plan const& block, source_names const& names) {
  std::vector<enumerator> parameters;
  for (int place : names.used_parameters())
    parameters.push_back({names.parameter_name(place), place, shape_comment(block.parameters[place].shape)});
  std::vector<enumerator> sizes;
  for (std::string const& each : names.size_names()) sizes.push_back({each, static_cast<int>(sizes.size())});
  std::string constants;
  for (int at : names.used_options()) {
    node const& n = block.graph[at];
    bool const rope = calculus::kind_of(n) == calculus::kind::rotation;
    constants += fmt::format("constexpr rt::{}_options {}{{{}}};\n", rope ? "rope" : "attention", names.options_name(at),
                             rope ? rope_constant(n) : attention_constant(n));
  }
  if (!constants.empty()) constants = fmt::format("namespace options {{\n{}}}  // namespace options\n\n", constants);
  return enumeration("p", parameters) + enumeration("sizes", sizes) + constants;
}

std::string emit_whole_names(named_program const& program) {
  std::vector<enumerator> rows;
  for (std::size_t i = 0; i < program.whole.size(); ++i) {
    whole_row const& each = program.tile.whole[i];
    if (each.name.empty()) continue;
    std::string const layers = each.layers == 1 ? "" : fmt::format(", of {} layers", each.layers);
    rows.push_back(
        {program.whole[i], each.entry,
         fmt::format("(tokens, {}){}{}", axis_text(each.width), each.meaning.empty() ? "" : ": " + each.meaning, layers)});
  }
  return enumeration(program.name, rows);
}

std::string emit_block_tables(block_plan const& block, source_names const& names, named_program const& forward) {
  shape_table shapes(names);
  std::string const streams = stream_tables(block, shapes);  // one after the other: they number the shapes
  std::string const parameters = parameter_tables(block, shapes);
  return shapes.text() + streams + parameters + size_tables(block, names) + attention_table(block) + cached_table(block, forward);
}

std::string emit_program_tables(source_names& names, named_program const& program) {
  std::string tables;
  std::vector<row> segments;
  std::string rows;
  std::size_t const stages = program.tile.code.stages.size();
  for (std::size_t at = 0; at < stages; ++at) rows += fmt::format("    {},\n", stage_row(names, program, at, tables));
  for (segment const& each : program.tile.code.segments)
    if (program.has_layers())
      segments.push_back({fmt::format("{{.first = {}, .stages = {}, .times = {}}}", each.first, each.size, each.times)});
  std::string out = whole_table(names, program) + tables + (tables.empty() ? "" : "\n");
  out +=
      fmt::format("template <class Real>\nconstexpr rt::stage_description<Real> {}_stages[] = {{\n{}}};\n\n", program.name, rows);
  return out + table("rt::segment_description", fmt::format("{}_segments", program.name), segments);
}

}  // namespace residua::codegen
