// What a plan holds: the instructions of a block's three programs, their stages, caches and parameters, and what is refused.
#define BOOST_TEST_MODULE codegen
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/block_plan.hpp>
#include <residua/codegen/parameter_tree.hpp>
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;
namespace codegen = residua::codegen;

constexpr axis<"B"> B;
constexpr axis<"T"> T;

template <std::int64_t Width, std::int64_t Hidden>
struct sized {
  static constexpr axis<"d", Width> d{};
  static constexpr axis<"h", Hidden> h{};
  static constexpr auto N = layer_norm<"N">(d);
  static constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias));
  static constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
};

constexpr axis<"c", 4> c;
constexpr auto reserved = block<"reserved">(stream(T, c), [](auto x) { return x + linear<"load">(c, c)(x); });
// Names that the emitted code uses itself, and names that are one when their dots are gone.
constexpr auto awkward = block<"awkward">(stream(T, c), [](auto x) {
  auto y = linear<"x">(c, c)(layer_norm<"w">(c)(x));
  auto z = branch<"F">(linear<"up">(c, c))(linear<"F_up">(c, c)(rms_norm<"buffer_0">(c)(y)));
  return x + linear<"memory">(c, c)(linear<"scratch">(c, c, with_bias)(z)) + linear<"forward">(c, c)(linear<"rt">(c, c)(x));
});

constexpr axis<"S"> S;
constexpr auto attending = block<"attending">(stream(T, c), [](auto x) { return x + attention<"A">(c, heads<2>, causal)(x); });
constexpr auto mixed = block<"mixed">(stream(T, c), stream(S, c), [](auto x, auto memory) { return x + renamed(memory, S, T); });

constexpr auto turned =
    map<"turned">(stream(T, c), stream(S, c), [](auto x, auto memory) { return attention<"X">(c, heads<2>, cross)(memory, x); });

constexpr auto twice_named = block<"twice_named">(
    stream(T, c), [](auto x) { return linear<"output.dense">(c, c)(x) + branch<"output">(linear<"dense">(c, c) | relu)(x); });
constexpr auto crossed =
    block<"crossed">(stream(T, c), [](auto x) { return linear<"a">(c, c)(x) + linear<"a.weight">(c, c)(x); });

int count(codegen::program const& p, codegen::opcode what) {
  std::ptrdiff_t found = 0;
  for (codegen::stage const& each : p.stages) found += std::ranges::count(each.instructions, what, &codegen::instruction::what);
  return static_cast<int>(found);
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_pre_norm_sublayer_is_a_norm_and_two_products) {
  codegen::block_plan const plan = codegen::plan_block("pre_norm", sized<8, 16>::pre_norm.view());
  codegen::program const& forward = plan.forward.code;
  BOOST_TEST(forward.stages.size() == 1u);
  std::vector<codegen::instruction> const& list = forward.stages[0].instructions;
  BOOST_TEST(list.size() == 3u);
  BOOST_TEST(count(forward, codegen::opcode::norm) == 1);
  BOOST_TEST(count(forward, codegen::opcode::multiply) == 2);
  BOOST_TEST((list[1].with_bias && list[1].epilogue.size() == 1 && list[1].epilogue[0].what == codegen::opcode::activate));
  BOOST_TEST((list[2].epilogue.size() == 1 && list[2].epilogue[0].what == codegen::opcode::add));
  BOOST_TEST(plan.forward.memory[0].buffers.size() == 2u);  // the normalised tile and the hidden one
}

BOOST_AUTO_TEST_CASE(gradients_are_summed_once_for_each_parameter) {
  codegen::block_plan const plan = codegen::plan_block("pre_norm", sized<8, 16>::pre_norm.view());
  BOOST_TEST(plan.vjp.code.stages[0].sums.size() == plan.parameters.all().size());
  BOOST_TEST(count(plan.vjp.code, codegen::opcode::multiply) == 1);  // `up` again; what `down` gave is not needed
  BOOST_TEST(count(plan.vjp.code, codegen::opcode::multiply_transposed) == 2);
}

BOOST_AUTO_TEST_CASE(an_attention_cuts_a_block_into_stages) {
  codegen::block_plan const plan = codegen::plan_block("attention", attending.view());
  BOOST_TEST(plan.forward.code.stages.size() == 2u);  // keys and values of all tokens, then the rest
  BOOST_TEST(plan.jvp.code.stages.size() == 2u);
  BOOST_TEST(plan.vjp.code.stages.size() == 3u);  // the gradients of keys and values need the cotangents of all queries
  std::vector<std::string> whole;
  for (codegen::value const& each : plan.forward.code.values)
    if (each.place == codegen::home::whole) whole.push_back(each.name);
  BOOST_TEST((whole == std::vector<std::string>{"A_q", "A_k", "A_v"}));
  BOOST_TEST(count(plan.vjp.code, codegen::opcode::attend_vjp_keys) == 1);
  BOOST_TEST(plan.can_step());
}

BOOST_AUTO_TEST_CASE(tokens_of_two_streams_meet_in_an_attention_only) {
  BOOST_CHECK_EXCEPTION(codegen::plan_block("mixed", mixed.view()), std::invalid_argument, [](std::invalid_argument const& e) {
    return std::string(e.what()).find("has the tokens of another stream than what it is combined with") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_result_of_other_tokens_has_no_steps) {
  codegen::block_plan const plan = codegen::plan_block("turned", turned.view());
  for (codegen::whole_row const& row : plan.forward.whole)
    if (row.is == codegen::whole_row::kind::result) BOOST_TEST(row.tokens == 1);
  BOOST_TEST(!plan.can_step());
}

BOOST_AUTO_TEST_CASE(a_name_that_every_parameters_struct_has_is_refused) {
  codegen::parameter_list const list(reserved.view());
  BOOST_CHECK_EXCEPTION(codegen::grow_tree(list), std::invalid_argument, [](std::invalid_argument const& e) {
    return e.what() == std::string("residua: an operation may not be called \"load\": every parameters struct uses that name");
  });
}

BOOST_AUTO_TEST_CASE(paths_that_meet_are_refused) {
  auto refused = [](graph_view const& graph, std::string const& wanted) {
    codegen::parameter_list const list(graph);
    BOOST_CHECK_EXCEPTION(codegen::grow_tree(list), std::invalid_argument,
                          [&](std::invalid_argument const& e) { return e.what() == wanted; });
  };
  refused(twice_named.view(), "residua: two operations have the parameter output.dense.weight");
  refused(crossed.view(), "residua: a.weight is a parameter and also the start of the path of another, a.weight.weight");
}

BOOST_AUTO_TEST_CASE(members_of_a_kernel_have_names_of_their_own) {
  codegen::parameter_list const list(awkward.view());
  std::vector<std::string> members;
  for (codegen::parameter_tensor const& t : list.all()) members.push_back(t.member);
  std::ranges::sort(members);
  BOOST_TEST((std::ranges::adjacent_find(members) == members.end()));
}
