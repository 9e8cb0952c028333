#include <residua/codegen/program.hpp>

namespace residua::codegen {

std::vector<operand> reads_of(instruction const& i) {
  std::vector<operand> list = i.inputs;
  for (epilogue_part const& part : i.epilogue)
    if (part.other >= 0 && !part.keep) list.push_back(tile_of(part.other));
  return list;
}

std::vector<int> writes_of(instruction const& i) {
  std::vector<int> list = i.results;
  for (epilogue_part const& part : i.epilogue)
    if (part.keep) list.push_back(part.other);
  return list;
}

namespace {

/// A stage of a segment's first turn as it is in another turn.
stage in_turn(stage of_first, segment const& within, int turn) {
  auto value = [&](int& at) { at = segment::in_turn(within.values, at, turn); };
  auto node = [&](int& at) { at = segment::in_turn(within.nodes, at, turn); };
  for (instruction& i : of_first.instructions) {
    node(i.node);
    for (operand& each : i.inputs) value(each.value);
    for (int& each : i.results) value(each);
    for (int& each : i.partials) value(each);
    for (epilogue_part& part : i.epilogue) {
      node(part.node);
      value(part.other);
    }
  }
  for (gradient_sum& sum : of_first.sums) {
    sum.parameter = segment::in_turn(within.parameters, sum.parameter, turn);
    value(sum.a);
    value(sum.b);
  }
  return of_first;
}

}  // namespace

std::vector<stage> expanded(program const& p) {
  if (p.segments.empty()) return p.stages;
  std::vector<stage> list;
  for (segment const& each : p.segments)
    for (int turn = 0; turn < each.times; ++turn)
      for (std::size_t at = each.first; at < each.first + each.size; ++at) list.push_back(in_turn(p.stages[at], each, turn));
  return list;
}

}  // namespace residua::codegen
