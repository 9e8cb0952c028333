#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/targets/cpp/calls.hpp>
#include <residua/codegen/targets/text.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

using calculus::role;

/// Writes the call of one instruction.
class call_writer {
 public:
  call_writer(block_plan const& block, source_names& names, named_program const& program, stage_memory const& memory,
              instruction const& i)
      : block_(block), names_(names), program_(program), memory_(memory), i_(i) {}

  std::string statement() const {
    std::string comments;
    for (int result : i_.results)
      comments += fmt::format("  // {} = {}\n", program_.tile.code[result].name, program_.tile.code[result].meaning);
    return comments + "  " + call() + ";\n";
  }

 private:
  node const& of_node(int at) const { return block_.graph[at]; }
  node const& own_node() const { return of_node(i_.node); }
  std::string in(std::size_t k) const { return program_.value(i_.inputs[k].value); }
  std::string result(std::size_t k = 0) const { return program_.value(i_.results[k]); }

  std::string kernel(std::string_view function, std::vector<std::string> const& arguments) const {
    return fmt::format("t.kernels.{}({})", function, joined(arguments));
  }

  /// Where a node's parameter stands, or "" where it has none of this role.
  std::string place(int at, role which) const {
    int const found = block_.parameters.find(of_node(at), which);
    return found < 0 ? "" : parameter_place(names_, memory_, found);
  }
  std::string vector(int at, role which) const {
    std::string const found = place(at, which);
    return found.empty() ? "nullptr" : fmt::format("t.vector({})", found);
  }
  std::string partial(std::size_t which) const {
    return which < i_.partials.size() && i_.partials[which] >= 0 ? program_.value(i_.partials[which]) : "nullptr";
  }
  /// The literal that a value is multiplied by; without a node: -1.
  std::string constant(int at) const { return fmt::format("Real({})", at < 0 ? -1.0 : of_node(at).factor); }
  /// A literal or learned scalar, as a number.
  std::string number(int at) const {
    return calculus::reads(of_node(at), role::itself) ? "*" + vector(at, role::itself) : constant(at);
  }
  static constexpr std::string_view plus = "Real(1)", minus = "Real(-1)";
  std::string activation(int at) const { return fmt::format("rt::activation::{}", calculus::rule_of(of_node(at)).word); }

  std::string call() const {
    switch (i_.what) {
      case opcode::copy: return kernel("copy", {in(0), result()});
      case opcode::zero: return kernel("zero", {result()});
      case opcode::multiply:
        return kernel("multiply", {in(0), fmt::format("t.weight({})", place(i_.node, role::weight)), result(), epilogue()});
      case opcode::multiply_transposed:
        return kernel("multiply", {in(0), fmt::format("t.transposed({})", place(i_.node, role::weight)), result(), epilogue()});
      case opcode::norm:
      case opcode::norm_jvp:
      case opcode::norm_vjp: return norm();
      case opcode::activate: return kernel("activate", {activation(i_.node), in(0), result()});
      case opcode::slope: return kernel("slope", {activation(i_.node), in(0), in(1), result()});
      case opcode::add: return kernel("add", {in(0), in(1), result()});
      case opcode::subtract: return kernel("subtract", {in(0), in(1), result()});
      case opcode::scale: return kernel("scale", {constant(i_.node), in(0), result()});
      case opcode::scale_by: return kernel("scale", {"*" + vector(i_.node, role::itself), in(0), result()});
      case opcode::scale_columns: return kernel("scale_columns", {vector(i_.node, role::itself), in(0), result()});
      case opcode::hadamard: return kernel("hadamard", {in(0), in(1), result()});
      case opcode::scale_rows: return kernel("scale_rows", {in(0), in(1), result()});
      case opcode::row_dots: return kernel("row_dots", {in(0), in(1), result()});
      case opcode::row_means: return kernel("row_means", {in(0), result()});
      case opcode::spread_means: return kernel("spread_means", {in(0), result()});
      case opcode::repeat_sequences:
      case opcode::sum_sequences: return of_sequences();
      case opcode::repeat: return kernel("repeat", {vector(i_.node, role::itself), result()});
      case opcode::add_term: return with_term(plus, plus);
      case opcode::subtract_term: return with_term(plus, minus);
      case opcode::subtract_from_term: return with_term(minus, plus);
      case opcode::column_sums: return kernel("accumulate_column_sums", {in(0), partial(0)});
      case opcode::column_dots: return kernel("accumulate_column_dots", {in(0), in(1), partial(0)});
      case opcode::sum: return fmt::format("*{} += {}", partial(0), kernel("sum", {in(0)}));
      case opcode::dot: return fmt::format("*{} += {}", partial(0), kernel("dot", {in(0), in(1)}));
      case opcode::join: return join();
      case opcode::rope: return rotation("rope");
      case opcode::rope_transposed: return rotation("rope_transposed");
      case opcode::attend: return attention("attend");
      case opcode::attend_jvp: return attention("attend_jvp");
      case opcode::attend_dots: return kernel("attend_dots", {names_.options(i_.node), in(0), in(1), result()});
      case opcode::attend_vjp_queries: return attention("attend_vjp_queries");
      case opcode::attend_vjp_keys: return attention("attend_vjp_keys");
    }
    throw std::logic_error("residua: an instruction without a call");
  }

  /// The operand and a term, each with its sign.
  std::string with_term(std::string_view sign, std::string_view of_term) const {
    if (own_node().operation == op::learned_vector)
      return kernel("shift_columns", {std::string(sign), in(0), std::string(of_term), vector(i_.node, role::itself), result()});
    return kernel("shift", {std::string(sign), in(0), (of_term == minus ? "-" : "") + number(i_.node), result()});
  }

  /// In a loop over the heads, where each is normalised alone.
  std::string norm() const {
    node const& n = own_node();
    auto part = [&](std::string const& whole) {
      std::int64_t const width = n.shape.feature().extent / n.groups;
      return n.groups == 1 ? whole : fmt::format("{}.columns_from(head * {}, {})", whole, width, width);
    };
    std::vector<std::string> parameters, gradients;
    for (role each : calculus::every_role)
      if (calculus::rule_of(n).parameters.contains(each)) {
        gradients.push_back(partial(parameters.size()));
        parameters.push_back(vector(i_.node, each));
      }
    std::vector<std::string> arguments{fmt::format("rt::norm::{}", calculus::rule_of(n).word), part(in(0)),
                                       fmt::format("{{{{{}}}, {}, {}}}", joined(parameters), n.unit_offset ? 1 : 0, n.epsilon)};
    if (i_.what != opcode::norm) arguments.push_back(part(in(1)));
    arguments.push_back(part(result()));
    if (i_.what == opcode::norm_vjp) arguments.push_back(fmt::format("{{{{{}}}}}", joined(gradients)));
    std::string_view const ending = i_.what == opcode::norm ? "" : i_.what == opcode::norm_jvp ? "_jvp" : "_vjp";
    std::string const once = kernel(fmt::format("normalise{}", ending), arguments);
    return n.groups == 1 ? once : fmt::format("for (rt::index head = 0; head < {}; ++head)\n    {}", n.groups, once);
  }

  /// The columns of all parts, and zeros between them.
  std::string join() const {
    program const& code = program_.tile.code;
    std::int64_t covered = 0;
    std::vector<std::string> calls;
    for (std::size_t k = 0; k < i_.inputs.size(); ++k) {
      axis_value const& width = code[i_.inputs[k].value].width;
      covered += width.extent;
      calls.push_back(kernel("copy", {in(k), fmt::format("{}.columns_from({}, {})", result(), i_.columns[k], width.extent)}));
    }
    if (covered != code[i_.results[0]].width.extent) calls.insert(calls.begin(), kernel("zero", {result()}));
    return joined(calls, ";\n  ");
  }

  std::string rotation(std::string_view function) const {
    int const tokens = program_.tile.code[i_.results[0]].tokens;
    return kernel(function, {names_.options(i_.node), fmt::format("t.positions[{}]", tokens), "t.first", in(0), result()});
  }

  std::string of_sequences() const {
    std::string_view const function = i_.what == opcode::sum_sequences ? "sum_sequences" : "repeat_sequences";
    return kernel(function, {fmt::format("t.positions[{}]", own_node().tokens), "t.first", all(0), result()});
  }
  /// All rows of an input.
  std::string all(std::size_t k) const { return fmt::format("t.all({})", program_.entry(memory_.all.at(i_.inputs[k].value))); }

  std::string attention(std::string_view function) const {
    std::vector<std::string> arguments{names_.options(i_.node), fmt::format("t.layouts[{}]", layout()), "t.first"};
    for (std::size_t k = 0; k < i_.inputs.size(); ++k) arguments.push_back(i_.inputs[k].how == access::whole ? all(k) : in(k));
    for (std::size_t k = 0; k < i_.results.size(); ++k) arguments.push_back(result(k));
    if (i_.what == opcode::attend && i_.results.size() == 1) arguments.push_back("rt::matrix<Real>{}");  // no sums
    arguments.push_back("t.attention");
    return kernel(function, arguments);
  }

  /// An attention's place among all: 2, in the layers of a stack 2 + t.layer
  std::string layout() const {
    indexed const at = memory_.attentions.at(i_.node);
    return at.first == 0 && at.step == 1 ? "t.layer" : stepped(std::to_string(at.first), 0, at.step);
  }

  /// {rt::plus_vector(bias), rt::plus(x)}
  std::string epilogue() const {
    std::vector<std::string> parts;
    if (i_.with_bias) parts.push_back(fmt::format("rt::plus_vector({})", vector(i_.node, role::bias)));
    for (epilogue_part const& each : i_.epilogue) parts.push_back(epilogue_call(each));
    return fmt::format("{{{}}}", joined(parts));
  }

  std::string epilogue_call(epilogue_part const& part) const {
    std::string const other = part.other < 0 ? "" : program_.value(part.other);
    if (part.keep) return fmt::format("rt::kept({})", other);
    switch (part.what) {
      case opcode::add: return fmt::format("rt::plus({})", other);
      case opcode::subtract: return fmt::format("rt::{}({})", part.reversed ? "subtracted_from" : "minus", other);
      case opcode::hadamard: return fmt::format("rt::times({})", other);
      case opcode::activate: return fmt::format("rt::activated<Real>({})", activation(part.node));
      case opcode::slope: return fmt::format("rt::sloped({}, {})", activation(part.node), other);
      case opcode::scale: return fmt::format("rt::scaled({})", constant(part.node));
      case opcode::scale_by: return fmt::format("rt::scaled(*{})", vector(part.node, role::itself));
      case opcode::scale_columns: return fmt::format("rt::scaled_columns({})", vector(part.node, role::itself));
      case opcode::scale_rows: return fmt::format("rt::scaled_rows({})", other);
      case opcode::add_term:
        if (of_node(part.node).operation == op::learned_vector)
          return fmt::format("rt::plus_vector({})", vector(part.node, role::itself));
        return fmt::format("rt::shifted({})", number(part.node));
      default: throw std::logic_error("residua: an instruction that no product can end with");
    }
  }

  block_plan const& block_;
  source_names& names_;
  named_program const& program_;
  stage_memory const& memory_;
  instruction const& i_;
};

}  // namespace

std::string emit_call(block_plan const& block, source_names& names, named_program const& program, stage_memory const& memory,
                      instruction const& i) {
  return call_writer(block, names, program, memory, i).statement();
}

std::string parameter_place(source_names& names, stage_memory const& memory, int parameter) {
  indexed const at = memory.parameters.at(parameter);
  return stepped(names.parameter(at.first), 0, at.step);
}

bool needs_attention_scratch(opcode what) {
  return what == opcode::attend || what == opcode::attend_jvp || what == opcode::attend_vjp_queries ||
         what == opcode::attend_vjp_keys;
}

}  // namespace residua::codegen
