#include "coverage.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string_view>

namespace residua::runner_test {

namespace {

using codegen::home;
using codegen::opcode;

// In the order of their enumerations.
constexpr std::array opcodes{"copy",
                             "zero",
                             "multiply",
                             "multiply_transposed",
                             "norm",
                             "norm_jvp",
                             "norm_vjp",
                             "activate",
                             "slope",
                             "add",
                             "subtract",
                             "scale",
                             "scale_by",
                             "scale_columns",
                             "hadamard",
                             "scale_rows",
                             "row_dots",
                             "row_means",
                             "spread_means",
                             "repeat",
                             "repeat_sequences",
                             "sum_sequences",
                             "add_term",
                             "subtract_term",
                             "subtract_from_term",
                             "column_sums",
                             "column_dots",
                             "sum",
                             "dot",
                             "join",
                             "rope",
                             "rope_transposed",
                             "attend",
                             "attend_jvp",
                             "attend_dots",
                             "attend_vjp_queries",
                             "attend_vjp_keys"};
static_assert(opcodes.size() == static_cast<std::size_t>(opcode::attend_vjp_keys) + 1);
constexpr std::array homes{"argument", "result", "whole", "tile", "held", "partial"};
static_assert(homes.size() == static_cast<std::size_t>(home::partial) + 1);
constexpr std::array rows{"argument", "result", "between", "part", "seen"};
static_assert(rows.size() == static_cast<std::size_t>(codegen::whole_row::kind::seen) + 1);
constexpr std::array accesses{"tile", "whole"};

/// The kinds that a run of enough blocks has in every configuration, beside all operations and all of the lists above.
constexpr std::array kinds{"epilogue bias",
                           "epilogue add",
                           "epilogue subtract",
                           "epilogue subtract, reversed",
                           "epilogue hadamard",
                           "epilogue activate",
                           "epilogue slope",
                           "epilogue scale",
                           "epilogue scale_by",
                           "epilogue scale_columns",
                           "epilogue scale_rows",
                           "epilogue add_term",
                           "epilogue keep",
                           "columns of a value",
                           "whole of several layers",
                           "forward segment of several turns",
                           "jvp segment of several turns",
                           "vjp segment of several turns",
                           "stage of a memory's tokens",
                           "several stages",
                           "sum of a matrix",
                           "sum of a partial",
                           "parameter with a step",
                           "parameter with a step back",
                           "matrix with a step",
                           "attention with a step",
                           "cached of the stream",
                           "cached of a memory",
                           "cached window",
                           "causal",
                           "bidirectional",
                           "causal window",
                           "bidirectional window",
                           "softcap",
                           "alibi",
                           "grouped heads",
                           "rope, half split",
                           "rope, interleaved",
                           "rope, scaled",
                           "rope of some channels",
                           "cross-attention",
                           "queries of a memory",
                           "norm of heads",
                           "norm without gain",
                           "norm with unit offset",
                           "a memory",
                           "two streams",
                           "three streams",
                           "two results",
                           "streams of other tokens",
                           "results of other tokens",
                           "decoding of several streams",
                           "layers of several streams",
                           "run-time width",
                           "renamed width",
                           "padding",
                           "decoding",
                           "dense Jacobian",
                           "NaN",
                           "more than a tile"};

std::string in_list(std::string const& list, std::span<char const* const> names, auto which) {
  auto const at = static_cast<std::size_t>(which);
  if (at >= names.size()) throw std::logic_error("coverage: " + list + " has a kind without a name");
  return list + " " + names[at];
}

}  // namespace

void coverage::add(std::string const& kind, std::size_t configuration) {
  std::vector<std::size_t>& counts = seen_[kind];
  counts.resize(configurations_);
  ++counts[configuration];
}

void coverage::add(coverage const& other) {
  for (auto const& [kind, counts] : other.seen_) {
    std::vector<std::size_t>& mine = seen_[kind];
    mine.resize(configurations_);
    for (std::size_t i = 0; i < configurations_; ++i) mine[i] += counts[i];
  }
}

void coverage::add(codegen::block_plan const& plan, std::size_t configuration) {
  auto found = [&](bool there, std::string const& kind) {
    if (there) add(kind, configuration);
  };
  for (int at = 0; at < plan.graph.size(); ++at)
    if (plan.facts.is_needed(at)) count(plan.graph[at], configuration);
  count(plan.forward, "forward", configuration);
  count(plan.jvp, "jvp", configuration);
  count(plan.vjp, "vjp", configuration);
  for (codegen::attention_use const& each : plan.attentions) {
    found(each.queries != each.keys, "cross-attention");
    found(each.queries != 0, "queries of a memory");
  }
  for (codegen::cached_value const& each : plan.cached) {
    found(each.tokens == 0, "cached of the stream");
    found(each.tokens != 0, "cached of a memory");
    found(each.window > 0, "cached window");
  }
  graph::graph_view const& graph = plan.graph;
  found(graph.reads_memory(), "a memory");
  found(graph.streams == 2, "two streams");
  found(graph.streams == 3, "three streams");
  found(graph.outputs.size() > 1, "two results");
  for (std::size_t k = 0; k < graph.streams; ++k) found(graph.input(k).tokens != 0, "streams of other tokens");
  for (int at : graph.outputs) found(graph[at].tokens != 0, "results of other tokens");
  found(graph.streams > 1 && plan.can_step(), "decoding of several streams");
  for (codegen::segment const& each : plan.forward.code.segments)
    found(graph.streams > 1 && graph.outputs.size() > 1 && each.times > 1, "layers of several streams");
  found(!plan.run_time_widths.empty(), "run-time width");
  found(!plan.renamed_widths.empty(), "renamed width");
}

void coverage::count(graph::node const& n, std::size_t configuration) {
  auto found = [&](bool there, std::string const& kind) {
    if (there) add(kind, configuration);
  };
  add("operation " + std::string(calculus::rule_of(n.operation).word), configuration);
  if (n.operation == graph::op::attend) {
    graph::attention_value const& a = *n.attention;
    add(a.causal ? "causal" : "bidirectional", configuration);
    found(a.window > 0, a.causal ? "causal window" : "bidirectional window");
    found(a.softcap > 0, "softcap");
    found(a.alibi, "alibi");
    found(a.kv_heads != a.heads, "grouped heads");
  }
  if (n.operation == graph::op::rope) {
    graph::rope_value const& r = n.attention->rope;
    add(r.interleaved ? "rope, interleaved" : "rope, half split", configuration);
    found(r.factor != 1, "rope, scaled");
    found(r.width != n.attention->head_width, "rope of some channels");
  }
  if (calculus::kind_of(n) == calculus::kind::norm) {
    found(n.groups > 1, "norm of heads");
    found(!n.has_weight, "norm without gain");
    found(n.unit_offset, "norm with unit offset");
  }
}

void coverage::count(codegen::tile_program const& program, std::string const& name, std::size_t configuration) {
  auto found = [&](bool there, std::string const& kind) {
    if (there) add(kind, configuration);
  };
  for (codegen::value const& each : program.code.values) {
    add(in_list("home", homes, each.place), configuration);
    found(each.base >= 0, "columns of a value");
  }
  for (codegen::whole_row const& each : program.whole) {
    add(in_list("matrix", rows, each.is), configuration);
    found(each.layers > 1, "whole of several layers");
  }
  for (codegen::segment const& each : program.code.segments) found(each.times > 1, name + " segment of several turns");
  found(program.code.stages.size() > 1, "several stages");
  for (codegen::stage_memory const& each : program.memory) {
    for (auto const& [parameter, at] : each.parameters) {
      found(at.step > 0, "parameter with a step");
      found(at.step < 0, "parameter with a step back");
    }
    for (auto const& [value, at] : each.rows) found(at.step != 0, "matrix with a step");
    for (auto const& [node, at] : each.attentions) found(at.step != 0, "attention with a step");
  }
  for (codegen::stage const& each : program.code.stages) {
    found(each.tokens != 0, "stage of a memory's tokens");
    for (codegen::gradient_sum const& sum : each.sums) add(sum.b >= 0 ? "sum of a matrix" : "sum of a partial", configuration);
    for (codegen::instruction const& i : each.instructions) {
      add(in_list("instruction", opcodes, i.what), configuration);
      for (codegen::operand const& input : i.inputs) add(in_list("access", accesses, input.how), configuration);
      found(i.with_bias, "epilogue bias");
      for (codegen::epilogue_part const& part : i.epilogue)
        add(part.keep
                ? "epilogue keep"
                : in_list("epilogue", opcodes, part.what) + (part.reversed && part.what == opcode::subtract ? ", reversed" : ""),
            configuration);
    }
  }
}

std::vector<std::string> coverage::missing() const {
  std::vector<std::string> wanted;
  for (char const* each : kinds) wanted.emplace_back(each);
  for (char const* each : opcodes) wanted.push_back(std::string("instruction ") + each);
  for (char const* each : homes) wanted.push_back(std::string("home ") + each);
  for (char const* each : rows) wanted.push_back(std::string("matrix ") + each);
  for (char const* each : accesses) wanted.push_back(std::string("access ") + each);
  for (calculus::rule const& each : calculus::rules) wanted.push_back("operation " + std::string(each.word));
  std::erase_if(wanted, [&](std::string const& each) {
    auto const found = seen_.find(each);
    return found != seen_.end() && std::ranges::count(found->second, 0u) == 0;
  });
  return wanted;
}

void coverage::print(std::ostream& out, std::vector<std::string> const& configurations) const {
  out << std::left << std::setw(34) << "occurred in";
  for (std::string const& each : configurations) out << std::right << std::setw(18) << each;
  out << '\n';
  for (auto const& [kind, counts] : seen_) {
    out << std::left << std::setw(34) << kind;
    for (std::size_t each : counts) out << std::right << std::setw(18) << each;
    out << '\n';
  }
}

}  // namespace residua::runner_test
