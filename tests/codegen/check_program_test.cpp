// The checks between passes refuse what is broken, each with its sentence; and let pass what the passes leave.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/check_program.hpp>
#include <residua/codegen/passes/lower.hpp>

#include "blocks.hpp"

using namespace residua::codegen;

namespace {

program lowered() { return lower_forward(tested::pre_norm(), graph_facts(tested::pre_norm())); }

void refused(program const& p, form now, std::string const& what) {
  BOOST_TEST(tested::message_of<std::logic_error>([&] { check_program(p, now); }) == "residua: internal error: " + what);
}
void refused(tile_program const& p, std::string const& what) {
  BOOST_TEST(tested::message_of<std::logic_error>([&] { check_memory(p); }) == "residua: internal error: " + what);
}

/// A value by its name.
int find(program const& p, std::string const& name) {
  return static_cast<int>(std::ranges::find(p.values, name, &value::name) - p.values.begin());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(checks)

BOOST_AUTO_TEST_CASE(what_the_passes_leave_is_right) {
  for (graph_view const& graph : {tested::pre_norm(), tested::attending(), tested::fused_stack(), tested::decoder_stack(6)}) {
    block_plan const plan = plan_block("b", graph);
    for (tile_program const* each : {&plan.forward, &plan.jvp, &plan.vjp}) {
      check_program(each->code, form::staged);
      check_memory(*each);
    }
  }
}

BOOST_AUTO_TEST_CASE(order_and_single_assignment) {
  program backwards = lowered();
  std::ranges::reverse(backwards.stages[0].instructions);
  refused(backwards, form::lowered, "F_down is read before it is written");
  program twice = lowered();
  twice.stages[0].instructions.push_back(twice.stages[0].instructions.front());
  refused(twice, form::lowered, "N is written twice");
  program unfinished = lowered();
  unfinished.stages[0].instructions.pop_back();
  refused(unfinished, form::lowered, "y is never written");
}

BOOST_AUTO_TEST_CASE(as_many_inputs_as_an_instruction_takes) {
  program p = lowered();
  instruction& sum = p.stages[0].instructions.back();
  sum.inputs.push_back(sum.inputs[0]);
  refused(p, form::lowered, "y is made of 3 inputs with 1 results");
}

BOOST_AUTO_TEST_CASE(values_stay_in_their_stage) {
  program p = plan_block("b", tested::attending()).forward.code;
  program tile = p;
  tile[find(tile, "A_k")].place = home::tile;
  refused(tile, form::staged, "A_k is read in another stage than it lives in");
  program early = p;
  early.stages[0].instructions.insert(early.stages[0].instructions.end(), p.stages[1].instructions.begin(),
                                      p.stages[1].instructions.end());
  early.stages[1].instructions.clear();
  refused(early, form::staged, "A_k is read whole in the stage that writes it");
  program other = p;
  other[find(other, "A_q")].tokens = 1;
  refused(other, form::staged, "A_q has other tokens than its stage");
}

BOOST_AUTO_TEST_CASE(segments_cover_all_stages_in_order) {
  program const p = plan_block("b", tested::stack_of(3)).vjp.code;
  program dropped = p;
  dropped.segments.pop_back();
  refused(dropped, form::staged, "stage 5 is in no segment");
  program swapped = p;
  std::swap(swapped.segments[1], swapped.segments[2]);
  refused(swapped, form::staged, "stage 2 is in no segment");
  program shorter = p;
  --shorter.segments[0].times;
  refused(shorter, form::staged, "a segment's turns do not start with the first");
}

BOOST_AUTO_TEST_CASE(a_turn_that_is_left_out_is_missed) {
  program p = plan_block("b", tested::stack_of(3)).forward.code;
  --p.segments[0].times;
  for (auto* lists : {&p.segments[0].values, &p.segments[0].nodes, &p.segments[0].parameters})
    for (auto& [first, list] : *lists) list.pop_back();
  refused(p, form::staged, "y is never written");
}

BOOST_AUTO_TEST_CASE(two_live_values_never_share_a_buffer) {
  tile_program p = plan_block("b", tested::pre_norm()).vjp;
  int const norm = find(p.code, "N"), up = find(p.code, "F_up");
  BOOST_TEST_REQUIRE((p.code[norm].place == home::held && p.code[up].slot >= 0));
  tile_program shared = p;
  int const held = find(shared.code, "gelu_tanh");
  shared.memory[0].buffers[static_cast<std::size_t>(shared.code[held].slot)] = {shared.code[up].width};
  shared.code[up].slot = shared.code[held].slot;
  refused(shared, "gelu_tanh and F_up share a buffer while both are alive");
  tile_program narrow = p;
  narrow.memory[0].buffers[static_cast<std::size_t>(narrow.code[up].slot)].width.extent = 1;
  BOOST_TEST(tested::message_of<std::logic_error>([&] { check_memory(narrow); }).ends_with("is not as wide as its buffer"));
  tile_program loose = p;
  loose.code[norm].place = home::tile;
  refused(loose, "N is summed but not held");
}

BOOST_AUTO_TEST_CASE(a_partial_has_one_owner) {
  tile_program p = plan_block("b", tested::pre_norm()).vjp;
  p.code[find(p.code, "gradient_N_bias")].slot = p.code[find(p.code, "gradient_N_weight")].slot;
  refused(p, "gradient_N_weight and gradient_N_bias share a partial");
}

BOOST_AUTO_TEST_CASE(an_entry_holds_one_value_and_is_where_it_is_looked_for) {
  tile_program const p = plan_block("b", tested::stack_of(3)).forward;
  int const q = find(p.code, "h_A_q");
  tile_program shared = p;
  shared.memory[1].rows[find(p.code, "sum_2")] = p.memory[1].rows.at(find(p.code, "x"));
  refused(shared, "x and sum_2 share an entry");
  tile_program elsewhere = p;
  ++elsewhere.memory[1].rows[q].first;
  BOOST_TEST(tested::message_of<std::logic_error>([&] { check_memory(elsewhere); }) != "");
  tile_program overlapping = p;
  --overlapping.whole[3].entry;
  refused(overlapping, "the entries of h_A_k overlap those of another row");
  tile_program standing = p;
  standing.memory[0].parameters.begin()->second.step = 0;
  refused(standing, "parameter 0 is not found in turn 1");
  tile_program unlisted = p;
  unlisted.memory[0].rows.erase(q);
  refused(unlisted, "h_A_q is not listed where its stage looks");
}

BOOST_AUTO_TEST_SUITE_END()
