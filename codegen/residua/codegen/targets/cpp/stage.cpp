#include <fmt/format.h>

#include <algorithm>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <residua/codegen/targets/cpp/stage.hpp>

namespace residua::codegen {

namespace {

using calculus::role;

std::string number(double value) { return fmt::format("Real({})", value); }

std::string positions_of(rows_of rows) { return rows == rows_of::stream ? "positions" : "memory_positions"; }

/// Writes the calls of one stage.
class stage_writer {
 public:
  stage_writer(block_plan const& block, program const& code, stage const& at) : block_(block), program_(code), stage_(at) {}

  std::string body() const {
    std::string out;
    for (instruction const& i : stage_.instructions) out += statement(i);
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

  std::string constant(int at) const { return number(at < 0 ? -1.0 : node_at(at).factor); }

  std::string statement(instruction const& i) const {
    std::string comment;
    for (int result : {i.result, i.second})
      if (result >= 0) comment += fmt::format("  // {} = {}\n", name(result), program_[result].meaning);
    return comment + "  " + call(i) + ";\n";
  }

  /// An input of all tokens.
  std::string whole(int value) const {
    if (cached_value const* const kept = block_.cached_at(program_, value)) return "all." + kept->name;
    return whole_of(program_, value);
  }

  std::string attention_call(instruction const& i, std::string const& function) const {
    std::string out =
        fmt::format("rt::{}<Arch>({}, all.{}, first", function, block_.options_of(i.node), block_.layout_of(i.node));
    for (std::size_t k = 0; k < i.inputs.size(); ++k)
      out += ", " + (reads_whole(i.what, k) ? whole(i.inputs[k]) : name(i.inputs[k]));
    for (int result : {i.result, i.second})
      if (result >= 0) out += ", " + name(result);
    if (i.what == code::attend && i.second < 0) out += ", rt::matrix<Real>{}";
    return out + ", scratch.attention)";
  }

  /// The columns of all parts, and zeros between them.
  std::string join(instruction const& i) const {
    std::int64_t covered = 0;
    std::string out;
    for (int part : i.inputs) {
      covered += program_[part].width.extent;
      out += fmt::format("{}rt::copy<Arch>({}, {}.columns_from({}, {}))", out.empty() ? "" : ";\n  ", name(part), name(i.result),
                         program_[part].first, program_[part].width.extent);
    }
    return covered == program_[i.result].width.extent ? out : fmt::format("rt::zero<Arch>({});\n  {}", name(i.result), out);
  }

  /// One head's columns of a matrix, in a loop over the heads.
  std::string per_head(instruction const& i, std::string const& value) const {
    node const& n = node_at(i.node);
    if (n.groups == 1) return value;
    std::int64_t const width = n.shape.feature().extent / n.groups;
    return fmt::format("{}.columns_from(head * {}, {})", value, width, width);
  }
  std::string loop_over_heads(instruction const& i, std::string const& call) const {
    std::int64_t const heads = node_at(i.node).groups;
    return heads == 1 ? call : fmt::format("for (rt::index head = 0; head < {}; ++head)\n    {}", heads, call);
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
      case code::norm:
        return loop_over_heads(i, fmt::format("rt::{}<Arch>({}, {}, {})", word(i.node), per_head(i, in(0)),
                                              norm_arguments(i.node, true), per_head(i, result)));
      case code::norm_jvp:
        return loop_over_heads(i, fmt::format("rt::{}_jvp<Arch>({}, {}, {}, {})", word(i.node), per_head(i, in(0)),
                                              norm_arguments(i.node, false), per_head(i, in(1)), per_head(i, result)));
      case code::norm_vjp: {
        std::string const bias = node_at(i.node).operation == op::layer_norm ? ", " + partial(i, 1) : "";
        return loop_over_heads(
            i, fmt::format("rt::{}_vjp<Arch>({}, {}, {}, {}, {}{})", word(i.node), per_head(i, in(0)),
                           norm_arguments(i.node, false), per_head(i, in(1)), per_head(i, result), partial(i, 0), bias));
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
      case code::join: return join(i);
      case code::rotate:
      case code::rotate_back:
        return fmt::format("rt::{}<Arch>({}, all.{}, first, {}, {})", i.what == code::rotate ? "rotate" : "rotate_back",
                           block_.options_of(i.node), positions_of(program_[i.result].rows), in(0), result);
      case code::attend: return attention_call(i, "attend");
      case code::attend_jvp: return attention_call(i, "attend_jvp");
      case code::attend_dots:
        return fmt::format("rt::attend_dots<Arch>({}, {}, {}, {})", block_.options_of(i.node), in(0), in(1), result);
      case code::attend_vjp_queries: return attention_call(i, "attend_vjp_queries");
      case code::attend_vjp_keys: return attention_call(i, "attend_vjp_keys");
    }
    return {};
  }

  /// weight, [bias,] offset, epsilon
  std::string norm_arguments(int at, bool with_bias) const {
    node const& n = node_at(at);
    bool const bias = with_bias && n.operation == op::layer_norm;
    return fmt::format("{}, {}{}, {}", parameter(at, role::weight), bias ? parameter(at, role::bias) + ", " : "",
                       n.unit_offset ? 1 : 0, n.epsilon);
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
  stage const& stage_;
};

}  // namespace

std::string whole_of(program const& code, int value) {
  int const owner = code.base_of(value);
  std::string const all = "all." + code[owner].name;
  if (owner == value) return all;
  return fmt::format("{}.columns_from({}, {})", all, code[value].first, extent(code[value].width, "w.e"));
}

std::string emit_stage(block_plan const& block, program const& code, stage const& at) {
  return stage_writer(block, code, at).body();
}

bool is_attention(code what) {
  return what == code::attend || what == code::attend_jvp || what == code::attend_vjp_queries || what == code::attend_vjp_keys;
}

void add_with_base(program const& code, std::vector<int>& list, int value) {
  for (int each : {code.base_of(value), value})
    if (std::ranges::find(list, each) == list.end()) list.push_back(each);
}

std::vector<int> tile_values(program const& code, stage const& at) {
  std::vector<int> list;
  for (instruction const& i : at.instructions) {
    for (std::size_t k = 0; k < i.inputs.size(); ++k)
      if (!reads_whole(i.what, k)) add_with_base(code, list, i.inputs[k]);
    for (epilogue_part const& part : i.epilogue)
      if (part.other >= 0) add_with_base(code, list, part.other);
    for (int value : writes_of(i)) add_with_base(code, list, value);
    for (int partial : i.partials)
      if (partial >= 0) add_with_base(code, list, partial);
  }
  return list;
}

}  // namespace residua::codegen
