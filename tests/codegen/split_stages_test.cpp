// Where programs are cut: at what is read for all tokens and where a stack's layer changes; and what lives on after a cut.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/check_program.hpp>
#include <residua/codegen/passes/lower.hpp>
#include <residua/codegen/passes/split_stages.hpp>

#include "blocks.hpp"

using namespace residua::codegen;

namespace {

program split(program p) {
  split_stages(p);
  check_program(p, form::staged);
  return p;
}
program forward_of(graph_view const& graph) { return split(lower_forward(graph, graph_facts(graph))); }
program vjp_of(graph_view const& graph) { return split(lower_vjp(graph, graph_facts(graph), parameter_list(graph))); }

std::vector<std::string> whole(program const& p) {
  std::vector<std::string> names;
  for (value const& each : p.values)
    if (each.place == home::whole) names.push_back(each.name);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(splitting)

BOOST_AUTO_TEST_CASE(a_block_without_attention_or_layers_is_one_stage) {
  BOOST_TEST(forward_of(tested::pre_norm()).stages.size() == 1u);
  BOOST_TEST(vjp_of(tested::pre_norm()).stages.size() == 1u);
}

BOOST_AUTO_TEST_CASE(each_layer_of_a_stack_has_stages_of_its_own) {
  for (program const& p : {forward_of(tested::stack_of(3)), vjp_of(tested::stack_of(3)), forward_of(tested::decoder_stack(3)),
                           vjp_of(tested::decoder_stack(3))})
    for (stage const& each : p.stages)
      for (instruction const& i : each.instructions) BOOST_TEST((i.layer == each.layer));
  program const p = forward_of(tested::mlp_stack());
  BOOST_TEST(p.stages.size() == 5u);
  BOOST_TEST(whole(p).size() == 4u);  // what passes from a layer to the next
}

BOOST_AUTO_TEST_CASE(what_is_made_of_the_memory_alone_comes_first) {
  program const p = forward_of(tested::decoder_stack(3));
  for (std::size_t layer = 0; layer < 3; ++layer) {
    BOOST_TEST(p.stages[layer].tokens == 1);
    BOOST_TEST(p.stages[layer].layer.layer == static_cast<int>(layer));
  }
  for (std::size_t at = 3; at < p.stages.size(); ++at) BOOST_TEST(p.stages[at].tokens == 0);
}

BOOST_AUTO_TEST_CASE(cotangents_that_come_in_wait_for_the_points) {
  program const p = vjp_of(tested::transformer());
  int const g = static_cast<int>(std::ranges::find(p.values, "g", &value::name) - p.values.begin());
  for (instruction const& i : p.stages[0].instructions) BOOST_TEST(std::ranges::count(i.inputs, g, &operand::value) == 0);
  BOOST_TEST(p.stages.size() == 3u);
}

BOOST_AUTO_TEST_CASE(every_stage_that_adds_to_a_gradient_has_its_own_share) {
  program p;
  int const x = p.add_value({.name = "x", .meaning = "", .width = {"c", 4}, .place = home::argument});
  int const k = p.add_value({.name = "k", .meaning = "", .width = {"c", 4}});
  int const y = p.add_value({.name = "y", .meaning = "", .width = {"c", 4}, .place = home::result});
  int const share = p.add_value({.name = "share", .meaning = "", .width = {"c", 4}, .place = home::partial});
  p.add({.what = opcode::scale, .inputs = {tile_of(x)}, .results = {k}});
  p.add({.what = opcode::column_sums, .inputs = {tile_of(k)}, .partials = {share}});
  p.add({.what = opcode::attend, .inputs = {tile_of(x), whole_of(k), whole_of(k)}, .results = {y}});
  p.add({.what = opcode::column_sums, .inputs = {tile_of(y)}, .partials = {share}});
  p.stages[0].sums.push_back({.parameter = 0, .a = share});
  p = split(p);
  BOOST_TEST_REQUIRE(p.stages.size() == 2u);
  for (stage const& each : p.stages) {
    BOOST_TEST_REQUIRE(each.sums.size() == 1u);
    BOOST_TEST(each.sums[0].a == each.instructions[1].partials[0]);
  }
  BOOST_TEST(p[p.stages[0].sums[0].a].name == "share");
  BOOST_TEST(p[p.stages[1].sums[0].a].name == "share_2");
}

BOOST_AUTO_TEST_SUITE_END()
