// Equal layers are rolled, as many stages however many layers; what runs is what ran before; unequal layers stay.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/check_program.hpp>
#include <residua/codegen/passes/fuse_epilogues.hpp>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/passes/roll_layers.hpp>
#include <residua/codegen/passes/split_stages.hpp>

#include "blocks.hpp"

using namespace residua::codegen;

namespace {

/// Segments as stages x turns: 2x3 1 1.
std::string shape(program const& p) {
  std::string text;
  for (segment const& each : p.segments)
    text += (text.empty() ? "" : " ") + std::to_string(each.size) + (each.times > 1 ? "x" + std::to_string(each.times) : "");
  return text;
}

/// Stages without what says for which layer they are: rolled ones say so for the first turn alone.
std::vector<stage> without_layers(std::vector<stage> stages) {
  for (stage& each : stages) {
    for (instruction& i : each.instructions) i.layer = {};
    for (gradient_sum& sum : each.sums) sum.layer = {};
  }
  return stages;
}

void check_that_the_same_runs(graph_view const& graph, program lowered) {
  block_plan const plan = plan_block("b", graph);
  split_stages(lowered);
  fuse_epilogues(lowered);
  program rolled = lowered;
  roll_layers(rolled, plan);
  std::vector<stage> const before = without_layers(lowered.stages), after = without_layers(expanded(rolled));
  BOOST_TEST_REQUIRE(before.size() == after.size());
  for (std::size_t at = 0; at < before.size(); ++at) {
    BOOST_TEST(before[at].tokens == after[at].tokens);
    BOOST_TEST((before[at].instructions == after[at].instructions));
    BOOST_TEST((before[at].sums == after[at].sums));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rolling)

BOOST_AUTO_TEST_CASE(twelve_layers_leave_as_many_stages_as_three) {
  block_plan const three = plan_block("b", tested::stack_of(3)), twelve = plan_block("b", tested::stack_of(12));
  BOOST_TEST(shape(three.forward.code) == "2x3");
  BOOST_TEST(shape(twelve.forward.code) == "2x12");
  BOOST_TEST(shape(twelve.jvp.code) == "2x12");
  BOOST_TEST(shape(three.vjp.code) == "2x2 1 1 1 2x2");  // the last layer's points and cotangents share a stage
  BOOST_TEST(shape(twelve.vjp.code) == "2x11 1 1 1 2x11");
  BOOST_TEST(three.vjp.code.stages.size() == twelve.vjp.code.stages.size());
  for (std::size_t at = 0; at < three.vjp.code.stages.size(); ++at)
    BOOST_TEST(three.vjp.code.stages[at].instructions.size() == twelve.vjp.code.stages[at].instructions.size());
}

BOOST_AUTO_TEST_CASE(layers_that_attend_to_a_memory_are_rolled) {
  block_plan const three = plan_block("b", tested::decoder_stack(3)), six = plan_block("b", tested::decoder_stack(6));
  BOOST_TEST(shape(three.forward.code) == "1x3 2x3");  // keys and values of the memory, then the layers
  BOOST_TEST(shape(six.forward.code) == "1x6 2x6");
  BOOST_TEST(three.jvp.code.stages.size() == six.jvp.code.stages.size());
  BOOST_TEST(three.vjp.code.stages.size() == six.vjp.code.stages.size());
}

BOOST_AUTO_TEST_CASE(layers_without_attention_are_rolled) {
  block_plan const plan = plan_block("b", tested::mlp_stack());
  BOOST_TEST(shape(plan.forward.code) == "1x5");
  BOOST_TEST(shape(plan.vjp.code) == "1x4 1 1x4");
}

BOOST_AUTO_TEST_CASE(layers_that_pass_on_two_streams_are_rolled_but_the_first_which_reads_one) {
  block_plan const plan = plan_block("b", tested::two_ways());
  BOOST_TEST(shape(plan.forward.code) == "1 1x3 1");
  BOOST_TEST(shape(plan.vjp.code) == "1x3 1 1x2 1");
}

BOOST_AUTO_TEST_CASE(what_runs_is_what_ran_before) {
  for (graph_view const& graph : {tested::stack_of(3), tested::decoder_stack(3), tested::mlp_stack(), tested::fused_stack(),
                                  tested::uneven_stack(), tested::stack_between(), tested::long_way(), tested::transformer(),
                                  tested::nested_stack(false), tested::two_stacks(), tested::two_ways()}) {
    graph_facts const facts(graph);
    check_that_the_same_runs(graph, lower_forward(graph, facts));
    check_that_the_same_runs(graph, lower_jvp(graph, facts));
    check_that_the_same_runs(graph, lower_vjp(graph, facts, parameter_list(graph)));
  }
}

BOOST_AUTO_TEST_CASE(unequal_layers_stay_unrolled) {
  block_plan const plan = plan_block("b", tested::uneven_stack());
  for (tile_program const* each : {&plan.forward, &plan.jvp, &plan.vjp})
    BOOST_TEST(std::ranges::all_of(each->code.segments, [](segment const& s) { return s.times == 1 && s.size == 1; }));
  BOOST_TEST(shape(plan.forward.code) == "1 1 1 1");
}

BOOST_AUTO_TEST_CASE(what_stands_around_a_stack_is_not_rolled_with_it) {
  BOOST_TEST(shape(plan_block("b", tested::stack_between()).forward.code) == "1 2x4 1");
  BOOST_TEST(shape(plan_block("b", tested::transformer()).forward.code) == "1 1");
}

BOOST_AUTO_TEST_CASE(of_nested_stacks_the_outermost_of_several_layers_is_rolled) {
  BOOST_TEST(shape(plan_block("b", tested::nested_stack(false)).forward.code) == "1x2");
  BOOST_TEST(shape(plan_block("b", tested::nested_stack(true)).forward.code) == "1x3");
  BOOST_TEST(shape(plan_block("b", tested::two_stacks()).forward.code) == "2x2 1x3");
}

BOOST_AUTO_TEST_CASE(rolled_values_have_no_layers_number) {
  block_plan const plan = plan_block("b", tested::stack_of(3));
  for (tile_program const* each : {&plan.forward, &plan.jvp})
    for (stage const& here : each->code.stages)
      for (instruction const& i : here.instructions)
        for (int value : writes_of(i)) BOOST_TEST(each->code[value].name.find("h_0") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
