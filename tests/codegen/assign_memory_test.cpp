// Where values are: the rows of the table in the order of the call, one row for what the turns of a segment leave, entries at one
// distance for whatever a stage reads, caches.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/block_plan.hpp>
#include <set>

#include "blocks.hpp"

using namespace residua::codegen;

namespace {

std::string rows(tile_program const& p, whole_row::kind is) {
  std::string text;
  for (whole_row const& row : p.whole) {
    if (row.is != is) continue;
    text += (text.empty() ? "" : " ") + (row.name.empty() ? "-" : row.name);
    if (row.layers > 1) text += "x" + std::to_string(row.layers);
  }
  return text;
}

int entries(tile_program const& p) { return p.whole.back().entry + p.whole.back().layers; }

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(the_table_starts_with_the_call) {
  block_plan const plan = plan_block("b", tested::decoder_stack(3));
  using kind = whole_row::kind;
  BOOST_TEST(rows(plan.forward, kind::argument) == "x m");
  BOOST_TEST(rows(plan.forward, kind::result) == "y");
  BOOST_TEST(rows(plan.jvp, kind::argument) == "x m dx dm");
  BOOST_TEST(rows(plan.jvp, kind::result) == "y dy");
  BOOST_TEST(rows(plan.vjp, kind::argument) == "x m g");
  BOOST_TEST(rows(plan.vjp, kind::result) == "gx gm");
  for (tile_program const* each : {&plan.forward, &plan.jvp, &plan.vjp}) {
    std::set<std::string> names;
    for (whole_row const& row : each->whole) BOOST_TEST((row.name.empty() || names.insert(row.name).second), row.name);
  }
}

BOOST_AUTO_TEST_CASE(what_a_segments_turns_leave_is_one_row) {
  block_plan const plan = plan_block("b", tested::stack_of(12));
  BOOST_TEST(rows(plan.forward, whole_row::kind::between) == "h_A_qx12 h_A_kx12 h_A_vx12 sum_2x11");
  // x and then what the layers leave; what they leave and then y
  BOOST_TEST(rows(plan.forward, whole_row::kind::part) == "h_x -x11 h_sum_2x11 -");
  BOOST_TEST(rows(plan.forward, whole_row::kind::seen) == "h_A_k_seenx12 h_A_v_seenx12");
  BOOST_TEST(plan.forward.whole.size() == plan_block("b", tested::stack_of(3)).forward.whole.size());
}

BOOST_AUTO_TEST_CASE(a_layer_further_is_a_step_further) {
  block_plan const plan = plan_block("b", tested::stack_of(12));
  stage_memory const& forward = plan.forward.memory[0];
  for (auto const& [value, at] : forward.rows) BOOST_TEST(at.step == 1);
  int const first = forward.parameters.begin()->second.step;
  BOOST_TEST(first > 0);
  for (auto const& [parameter, at] : forward.parameters) BOOST_TEST(at.step == first);
  BOOST_TEST((plan.forward.memory[1].attentions.begin()->second == indexed{0, 1}));
  stage_memory const& backward = plan.vjp.memory.back();
  for (auto const& [parameter, at] : backward.parameters) BOOST_TEST(at.step == -first);
  BOOST_TEST((backward.attentions.begin()->second == indexed{10, -1}));
}

BOOST_AUTO_TEST_CASE(columns_that_are_read_whole_are_entries) {
  block_plan const plan = plan_block("b", tested::fused_stack());
  tile_program const& vjp = plan.vjp;
  for (std::size_t at = 0; at < vjp.code.stages.size(); ++at)
    for (auto const& [value, place] : vjp.memory[at].all) {
      auto const row = std::ranges::find_if(
          vjp.whole, [&](whole_row const& each) { return each.entry <= place.first && place.first < each.entry + each.layers; });
      BOOST_TEST((row->width == vjp.code[value].width));
      if (vjp.code[value].base >= 0) BOOST_TEST((row->is == whole_row::kind::part && row->first == vjp.code[value].first));
    }
}

BOOST_AUTO_TEST_CASE(caches_know_where_keys_are_written_and_seen) {
  for (graph_view const& graph : {tested::stack_of(3), tested::fused_stack(), tested::decoder_stack(3)}) {
    block_plan const plan = plan_block("b", graph);
    BOOST_TEST_REQUIRE(plan.can_step());
    std::vector<stage> const stages = expanded(plan.forward.code);
    std::set<int> seen;
    for (cached_value const& each : plan.cached) {
      BOOST_TEST(seen.insert(each.seen).second);
      BOOST_TEST(each.written != each.seen);
      BOOST_TEST((each.written >= 0 && each.written < entries(plan.forward) && each.seen < entries(plan.forward)));
      int const owner = plan.forward.code.base_of(each.value);
      auto const& list = stages[static_cast<std::size_t>(each.stage)].instructions;
      BOOST_TEST(std::ranges::any_of(list, [&](instruction const& i) { return std::ranges::count(writes_of(i), owner) > 0; }));
    }
    BOOST_TEST(plan.cached.size() == 2 * plan.attentions.size());
    for (attention_use const& each : plan.attentions) BOOST_TEST(each.cached >= 0);
  }
}

BOOST_AUTO_TEST_CASE(a_memory_is_looked_at_and_kept_as_its_own) {
  block_plan const plan = plan_block("b", tested::decoder_stack(3));
  for (std::size_t i = 0; i < plan.attentions.size(); ++i) {
    BOOST_TEST(plan.attentions[i].queries == 0);
    BOOST_TEST(plan.attentions[i].keys == static_cast<int>(i % 2));  // self-attention, then the memory
    BOOST_TEST(plan.cached[static_cast<std::size_t>(plan.attentions[i].cached)].tokens == plan.attentions[i].keys);
  }
}

BOOST_AUTO_TEST_SUITE_END()
