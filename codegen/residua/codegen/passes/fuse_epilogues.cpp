#include <algorithm>
#include <residua/codegen/passes/fuse_epilogues.hpp>

namespace residua::codegen {

namespace {

bool is_product(instruction const& i) { return i.what == opcode::multiply || i.what == opcode::multiply_transposed; }

/// The pointwise operation of `i` as parts of an epilogue of the product that gives `product`; none where it cannot be one.
std::vector<epilogue_part> as_parts(instruction const& i, int product) {
  if (std::ranges::count(i.inputs, product, &operand::value) != 1) return {};
  constexpr epilogue_part negated{.what = opcode::scale};
  epilogue_part const with_term{.what = opcode::add_term, .node = i.node};
  switch (i.what) {
    case opcode::activate:
    case opcode::scale:
    case opcode::scale_by:
    case opcode::scale_columns:
    case opcode::add_term: return {{.what = i.what, .node = i.node}};
    case opcode::subtract_term: return {negated, with_term, negated};
    case opcode::subtract_from_term: return {negated, with_term};
    case opcode::add:
    case opcode::subtract:
    case opcode::hadamard: {
      bool const first = i.inputs[0].value == product;
      return {{.what = i.what, .node = i.node, .other = i.inputs[first ? 1 : 0].value, .reversed = !first}};
    }
    case opcode::scale_rows:
    case opcode::slope:
      if (i.inputs[1].value != product) return {};
      return {{.what = i.what, .node = i.node, .other = i.inputs[0].value}};
    case opcode::copy:
    case opcode::zero:
    case opcode::repeat_sequences:
    case opcode::sum_sequences:
    case opcode::row_dots:
    case opcode::row_means:
    case opcode::spread_means:
    case opcode::repeat:
    case opcode::multiply:
    case opcode::multiply_transposed:
    case opcode::norm:
    case opcode::norm_jvp:
    case opcode::norm_vjp:
    case opcode::column_sums:
    case opcode::column_dots:
    case opcode::sum:
    case opcode::dot:
    case opcode::join:
    case opcode::rope:
    case opcode::rope_transposed:
    case opcode::attend:
    case opcode::attend_jvp:
    case opcode::attend_dots:
    case opcode::attend_vjp_queries:
    case opcode::attend_vjp_keys: return {};
  }
  return {};
}

int count_uses(program const& p, int value) {
  int uses = 0;
  for (stage const& each : p.stages) {
    for (instruction const& i : each.instructions)
      for (operand const& read : reads_of(i)) uses += p.base_of(read.value) == value;
    for (gradient_sum const& sum : each.sums)
      for (int summed : {sum.a, sum.b}) uses += summed >= 0 && p.base_of(summed) == value;
  }
  return uses;
}

/// Whether a value is finished before instruction `position` of a stage starts; arguments and those of earlier stages are.
bool is_before(program const& p, stage const& within, int value, std::size_t position) {
  for (std::size_t i = position; i < within.instructions.size(); ++i)
    for (int written : writes_of(within.instructions[i]))
      if (written == p.base_of(value)) return false;
  return true;
}

void fuse_epilogues(program& p, stage& within) {
  std::vector<instruction>& list = within.instructions;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (!is_product(list[at])) continue;
    for (std::size_t next = at + 1; next < list.size();) {
      int const product = list[at].results[0];
      std::vector<epilogue_part> const parts = as_parts(list[next], product);
      if (parts.empty() || (parts[0].other >= 0 && !is_before(p, within, parts[0].other, at))) {
        ++next;
        continue;
      }
      if (count_uses(p, product) > 1 || p[product].place != home::tile)
        list[at].epilogue.push_back({.other = product, .keep = true});
      list[at].epilogue.insert(list[at].epilogue.end(), parts.begin(), parts.end());
      list[at].results = list[next].results;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(next));
      next = at + 1;
    }
  }
}

}  // namespace

void fuse_epilogues(program& p) {
  for (stage& each : p.stages) fuse_epilogues(p, each);
}

}  // namespace residua::codegen
