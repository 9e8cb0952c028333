// What the lowerings leave: the access of an attention's operands, partials by role, and no operation that nobody lowers.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/check_program.hpp>
#include <residua/codegen/passes/lower.hpp>

#include "blocks.hpp"

using namespace residua::codegen;

namespace {

program forward_of(graph_view const& graph) { return lower_forward(graph, graph_facts(graph)); }
program jvp_of(graph_view const& graph) { return lower_jvp(graph, graph_facts(graph)); }
program vjp_of(graph_view const& graph) { return lower_vjp(graph, graph_facts(graph), parameter_list(graph)); }

instruction const& first(program const& p, opcode what) {
  return *std::ranges::find(p.stages[0].instructions, what, &instruction::what);
}

std::string accesses(program const& p, opcode what) {
  std::string text;
  for (operand const& each : first(p, what).inputs) text += each.how == access::whole ? 'W' : 't';
  return text;
}

std::string names(program const& p, home place) {
  std::string text;
  for (value const& each : p.values)
    if (each.place == place) text += (text.empty() ? "" : " ") + each.name;
  return text;
}

int node_of(graph_view const& graph, op operation) {
  for (int at = 0; at < graph.size(); ++at)
    if (graph[at].operation == operation) return at;
  return -1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lowering)

BOOST_AUTO_TEST_CASE(arguments_and_results_are_named_by_their_stream) {
  graph_view const graph = tested::decoder_stack(3);
  BOOST_TEST(names(forward_of(graph), home::argument) == "x m");
  BOOST_TEST(names(forward_of(graph), home::result) == "y");
  BOOST_TEST(names(jvp_of(graph), home::argument) == "x m dx dm");
  BOOST_TEST(names(jvp_of(graph), home::result) == "y dy");
  BOOST_TEST(names(vjp_of(graph), home::argument) == "x m g");
  BOOST_TEST(names(vjp_of(graph), home::result) == "gm gx");
}

BOOST_AUTO_TEST_CASE(attentions_say_which_operands_they_read_for_all_tokens) {
  graph_view const graph = tested::attending();
  BOOST_TEST(accesses(forward_of(graph), opcode::attend) == "tWW");
  BOOST_TEST(accesses(jvp_of(graph), opcode::attend_jvp) == "tWWtWW");
  program const vjp = vjp_of(graph);
  BOOST_TEST(accesses(vjp, opcode::attend_vjp_queries) == "tWWttt");
  BOOST_TEST(accesses(vjp, opcode::attend_vjp_keys) == "ttWWWW");
  BOOST_TEST(first(vjp, opcode::attend).results.size() == 2u);
  BOOST_TEST(vjp[first(vjp, opcode::attend).results[1]].width.extent == 4);  // two numbers for each of two heads
}

BOOST_AUTO_TEST_CASE(a_norm_has_a_partial_for_each_role_of_its_rule) {
  BOOST_TEST(first(vjp_of(tested::pre_norm()), opcode::norm_vjp).partials.size() == 2u);         // weight, bias
  BOOST_TEST(first(vjp_of(tested::fused_attending()), opcode::norm_vjp).partials.size() == 1u);  // weight
}

BOOST_AUTO_TEST_CASE(a_join_says_where_its_parts_start) {
  program const vjp = vjp_of(tested::fused_attending());
  instruction const& join = first(vjp, opcode::join);
  BOOST_TEST(join.inputs.size() == 3u);
  std::vector<std::int64_t> columns = join.columns;
  std::ranges::sort(columns);
  BOOST_TEST(columns == (std::vector<std::int64_t>{0, 4, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_third_operand_is_not_dropped) {
  graph_view const graph = tested::pre_norm();
  int const sum = node_of(graph, op::add);
  graph_view const changed = tested::with_third_operand(graph, sum, graph[sum].operands[0]);
  std::string const wanted = "residua: internal error: the derivative of + by its operand 2 is not lowered";
  BOOST_TEST(tested::message_of<std::logic_error>([&] { jvp_of(changed); }) == wanted);
  BOOST_TEST(tested::message_of<std::logic_error>([&] { vjp_of(changed); }) == wanted);
}

BOOST_AUTO_TEST_CASE(every_instruction_of_a_stack_knows_its_layer) {
  auto layers_of = [](program const& p) {
    std::vector<int> layers;
    for (instruction const& i : p.stages[0].instructions)
      if (layers.empty() || layers.back() != i.layer.layer) layers.push_back(i.layer.layer);
    return layers;
  };
  BOOST_TEST((layers_of(forward_of(tested::stack_of(3))) == std::vector{0, 1, 2}));
  BOOST_TEST((layers_of(jvp_of(tested::stack_of(3))) == std::vector{0, 1, 2}));
  BOOST_TEST((layers_of(vjp_of(tested::stack_of(3))) == std::vector{0, 1, 2, 1, 0}));
  for (layer_of each : graph_facts(tested::stack_of(1)).layers) BOOST_TEST(each.layer == -1);  // one layer is no stack
}

BOOST_AUTO_TEST_SUITE_END()
