#include <algorithm>
#include <residua/runner/stage.hpp>
#include <stdexcept>

namespace residua::runner {

namespace {

using calculus::role;
using codegen::access;
using codegen::home;
using graph::node;
using graph::op;

rt::activation activation_of(node const& n) {
  switch (n.operation) {
#define RESIDUA_CASE(NAME) \
  case op::NAME: return rt::activation::NAME;
    RESIDUA_ACTIVATIONS(RESIDUA_CASE)
#undef RESIDUA_CASE
    default: throw std::logic_error("residua: an activation that the kernels do not know");
  }
}

rt::norm norm_of(node const& n) {
  switch (n.operation) {
#define RESIDUA_CASE(NAME) \
  case op::NAME: return rt::norm::NAME;
    RESIDUA_NORMS(RESIDUA_CASE)
#undef RESIDUA_CASE
    default: throw std::logic_error("residua: a norm that the kernels do not know");
  }
}

rt::attention_options options_of_attention(node const& n) {
  graph::attention_value const& a = *n.attention;
  return {.heads = a.heads,
          .kv_heads = a.kv_heads,
          .head_width = a.head_width,
          .scale = a.scale,
          .softcap = a.softcap,
          .causal = a.causal,
          .window = a.window,
          .alibi = a.alibi};
}

rt::rope_options options_of_rope(node const& n) {
  graph::rope_value const& r = n.attention->rope;
  return {.heads = n.groups,
          .head_width = n.attention->head_width,
          .rotary_width = r.width,
          .base = r.base,
          .interleaved = r.interleaved,
          .factor = r.factor,
          .low = r.low,
          .high = r.high,
          .old_length = r.old_length};
}

class decoder {
 public:
  decoder(codegen::block_plan const& plan, codegen::tile_program const& program, std::size_t at)
      : plan_(plan), program_(program), memory_(program.memory[at]), stage_(program.code.stages[at]) {}

  decoded_stage run() const {
    decoded_stage made;
    for (codegen::instruction const& i : stage_.instructions) made.instructions.push_back(decoded(i));
    for (codegen::gradient_sum const& sum : stage_.sums) made.sums.push_back(decoded(sum));
    for (codegen::slot const& each : memory_.buffers) made.buffers.push_back(width_of(plan_, each.width));
    for (graph::axis_value const& each : memory_.partials) made.partials.push_back(width_of(plan_, each));
    for (decoded_instruction const& i : made.instructions)
      if (i.attention.heads > 0) made.attentions.push_back(i.attention);
    return made;
  }

 private:
  node const& node_at(int at) const { return plan_.graph[at]; }

  /// A value of the tile, or of all tokens.
  place of(int at, access how = access::tile) const {
    if (at < 0) return {};
    codegen::value const& v = program_.code[at];
    if (how == access::whole) return {.is = place::kind::all, .at = memory_.all.at(at)};
    if (v.base >= 0) {
      place whole = of(v.base);
      whole.of_columns = true;
      whole.first += v.first;
      whole.columns = width_of(plan_, v.width);
      return whole;
    }
    if (codegen::is_whole(v.place)) return {.is = place::kind::rows, .at = memory_.rows.at(at)};
    place::kind const own = v.place == home::partial ? place::kind::partial : place::kind::buffer;
    return {.is = own, .at = {v.slot, 0}, .columns = width_of(plan_, v.width)};
  }
  std::vector<place> of(std::vector<int> const& list) const {
    std::vector<place> places;
    for (int each : list) places.push_back(of(each));
    return places;
  }
  parameter_place parameter(node const& n, role which) const {
    int const found = plan_.parameters.find(n, which);
    return found < 0 ? parameter_place{-1} : memory_.parameters.at(found);
  }

  decoded_instruction decoded(codegen::instruction const& i) const {
    decoded_instruction made{.what = i.what, .results = of(i.results), .partials = of(i.partials)};
    for (codegen::operand const& each : i.inputs) made.inputs.push_back(of(each.value, each.how));
    if (i.what == opcode::scale) made.number = i.node < 0 ? -1 : node_at(i.node).factor;
    if (i.what == opcode::join) {
      made.columns.assign(i.columns.begin(), i.columns.end());
      for (codegen::operand const& each : i.inputs) made.columns.push_back(program_.code[each.value].width.extent);
      made.columns.push_back(program_.code[i.results[0]].width.extent);
    }
    if (i.node >= 0) look_up(made, i);
    if (i.with_bias)
      made.epilogue.push_back(
          {.what = rt::epilogue_part<double>::step::plus_vector, .vector = parameter(node_at(i.node), role::bias)});
    for (codegen::epilogue_part const& part : i.epilogue) made.epilogue.push_back(decoded(part));
    return made;
  }

  /// What an instruction reads of its node.
  void look_up(decoded_instruction& made, codegen::instruction const& i) const {
    node const& n = node_at(i.node);
    switch (i.what) {
      case opcode::multiply:
      case opcode::multiply_transposed: made.weight = parameter(n, role::weight); break;
      case opcode::norm:
      case opcode::norm_jvp:
      case opcode::norm_vjp:
        made.norm = norm_of(n);
        for (role each : calculus::every_role)
          if (calculus::rule_of(n).parameters.contains(each)) made.parameters.push_back(parameter(n, each));
        made.number = n.epsilon;
        made.offset = n.unit_offset ? 1 : 0;
        made.groups = n.groups;
        break;
      case opcode::activate:
      case opcode::slope: made.function = activation_of(n); break;
      case opcode::scale_by:
      case opcode::scale_columns: made.vector = parameter(n, role::itself); break;
      case opcode::repeat:
      case opcode::add_term:
      case opcode::subtract_term:
      case opcode::subtract_from_term: set_term(made, n); break;
      case opcode::repeat_sequences:
      case opcode::sum_sequences: made.tokens = n.tokens; break;
      case opcode::rope:
      case opcode::rope_transposed:
        made.rope = options_of_rope(n);
        made.tokens = program_.code[i.results[0]].tokens;
        break;
      case opcode::attend:
      case opcode::attend_jvp:
      case opcode::attend_dots:
      case opcode::attend_vjp_queries:
      case opcode::attend_vjp_keys:
        made.attention = options_of_attention(n);
        if (i.what != opcode::attend_dots) made.layout = memory_.attentions.at(i.node);
        break;
      case opcode::copy:
      case opcode::zero:
      case opcode::add:
      case opcode::subtract:
      case opcode::scale:
      case opcode::hadamard:
      case opcode::scale_rows:
      case opcode::row_dots:
      case opcode::row_means:
      case opcode::spread_means:
      case opcode::column_sums:
      case opcode::column_dots:
      case opcode::sum:
      case opcode::dot:
      case opcode::join: break;
    }
  }

  /// A term: a literal, or where its scalar or vector is.
  template <class Made>
  void set_term(Made& made, node const& n) const {
    made.number = n.factor;
    made.vector = parameter(n, role::itself);
    made.is_vector = n.operation == op::learned_vector;
  }

  decoded_part decoded(codegen::epilogue_part const& part) const {
    using step = rt::epilogue_part<double>::step;
    decoded_part made{.other = of(part.other)};
    if (part.keep) return made.what = step::kept, made;
    switch (part.what) {
      case opcode::add: made.what = step::plus; break;
      case opcode::subtract: made.what = part.reversed ? step::subtracted_from : step::minus; break;
      case opcode::hadamard: made.what = step::times; break;
      case opcode::activate:
      case opcode::slope:
        made.what = part.what == opcode::activate ? step::activated : step::sloped;
        made.function = activation_of(node_at(part.node));
        break;
      case opcode::scale:
        made.what = step::scaled;
        made.number = part.node < 0 ? -1 : node_at(part.node).factor;
        break;
      case opcode::scale_by:
      case opcode::scale_columns:
        made.what = part.what == opcode::scale_by ? step::scaled : step::scaled_columns;
        made.vector = parameter(node_at(part.node), role::itself);
        break;
      case opcode::scale_rows: made.what = step::scaled_rows; break;
      case opcode::add_term:
        set_term(made, node_at(part.node));
        made.what = made.is_vector ? step::plus_vector : step::shifted;
        break;
      default: throw std::logic_error("residua: an instruction that no product can end with");
    }
    return made;
  }

  decoded_sum decoded(codegen::gradient_sum const& sum) const {
    codegen::parameter_tensor const& parameter = plan_.parameters[sum.parameter];
    decoded_sum made{.parameter = memory_.parameters.at(sum.parameter), .a = of(sum.a), .b = of(sum.b)};
    if (parameter.is_matrix()) made.rows = width_of(plan_, parameter.shape[0]);
    return made;
  }

  codegen::block_plan const& plan_;
  codegen::tile_program const& program_;
  codegen::stage_memory const& memory_;
  codegen::stage const& stage_;
};

}  // namespace

rt::width width_of(codegen::block_plan const& plan, graph::axis_value const& axis) {
  if (axis.extent != graph::run_time) return {.fixed = axis.extent};
  auto const found = std::ranges::find(plan.run_time_widths, axis);
  if (found == plan.run_time_widths.end())
    throw std::logic_error("residua: nobody chooses the width " + std::string(axis.name) + " of " + plan.name);
  return {.chosen = static_cast<int>(found - plan.run_time_widths.begin())};
}

decoded_stage decode(codegen::block_plan const& plan, codegen::tile_program const& program, std::size_t at) {
  return decoder(plan, program, at).run();
}

}  // namespace residua::runner
