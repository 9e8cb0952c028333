// Random graphs are those of the language, and their derivatives in the calculus are those of what they compute.
// Would catch: a node, scope or call that the recorder makes otherwise than a block's function does; an operator that `derive`
// gets wrong for some combination of operations, with branches as factors or written out.
#define BOOST_TEST_MODULE random_graph
#include "random_block.hpp"

#include <boost/test/unit_test.hpp>
#include <oracle/operator_value.hpp>
#include <residua/dsl.hpp>
#include <residua/reference/bounded.hpp>

namespace {

using namespace residua;
using graph::op;
using random_graph::operation;
using random_graph::operation_pointer;
using random_graph::recorder;
using random_graph::step;
using random_graph::value;

namespace written {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"d", 12> d;
inline constexpr axis<"e", 10> e;
inline constexpr axis<"h"> h;

inline constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | silu | linear<"down">(h, d));
inline constexpr auto layer = block<"layer">(stream(B, T, d), stream(B, S, e), [](auto x, auto memory) {
  auto u = x + attention<"A">(d, heads<4>, kv_heads<2>, head_width<6>, causal, sliding_window<5>, fused_qkv, qkv_bias,
                              qk_norm<norm::layer>(epsilon<1e-3>),
                              rope(interleaved, rotary_width<4>))(rms_norm<"N">(d, unit_offset)(x));
  auto w = u - learned_scalar<"a"> * attention<"X">(d, heads<2>, cross(e), softcap<30>, alibi, o_bias)(u, memory);
  return F(layer_norm<"M">(d, no_bias)(w)) + 0.5 * hadamard(F(w), w);
});
inline constexpr auto decoder = stack<"h", 2>(layer);
inline constexpr auto self = block<"self">(stream(B, T, d), [](auto x) {
  return constant<"c">(2) * attention<"A">(d, heads<1>, cross)(x, x) + learned_vector<"g">(d) * renamed(renamed(x, T, S), S, T);
});
inline constexpr axis<"each", 1> each;
inline constexpr auto terms = block<"terms">(stream(B, T, d), stream(B, each, e), [](auto x, auto memory) {
  auto b = learned_vector<"b">(d);
  auto u = 1 - x;
  auto v = u + b;
  auto w = learned_scalar<"s"> - v;
  auto g = at_each_token(b, x);
  auto m = mean(at_each_token(memory, x));
  auto p = m * hadamard(g, w);
  auto q = inner(x, w) * x;
  return p + q;
});
inline constexpr axis<"kv", 6> kv;
inline constexpr auto by_parts = block<"by_parts">(stream(B, T, d), [](auto x) {
  auto q = rotary<"R">(d, heads<2>, interleaved, rope_base<10>)(x);
  auto k = rms_norm<"N">(kv, heads<3>)(linear<"k">(d, kv)(x));
  return attend<"A">(d, heads<2>, kv_heads<1>, causal, softcap<3>)(q, k, k);
});
}  // namespace written

operation_pointer make(operation what) { return std::make_shared<operation const>(std::move(what)); }

bool same(graph::node a, graph::node b) {
  bool const attention = (a.attention == nullptr) == (b.attention == nullptr) && (!a.attention || *a.attention == *b.attention);
  a.attention = b.attention = nullptr;
  return attention && a == b;
}

void check_same(graph::graph_view const& wanted, recorder const& made, int result) {
  BOOST_TEST_REQUIRE(made.history().nodes().size() == wanted.nodes.size());
  for (std::size_t i = 0; i < wanted.nodes.size(); ++i)
    BOOST_TEST(same(made.history().nodes()[i], wanted.nodes[i]), "node " << i << " of " << wanted.name);
  BOOST_TEST(std::ranges::equal(made.history().scopes(), wanted.scopes));
  BOOST_TEST(std::ranges::equal(made.history().calls(), wanted.calls));
  BOOST_TEST(std::ranges::equal(made.history().inputs(), wanted.inputs));
  BOOST_TEST(result == wanted.output());
}

constexpr graph::axis_value d = dsl::value_of(written::d), h = dsl::value_of(written::h);

operation norm(op which, std::string name, bool bias, bool unit_offset) {
  return {.is = operation::kind::norm,
          .which = which,
          .name = std::move(name),
          .has_weight = true,
          .has_bias = bias,
          .unit_offset = unit_offset};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stack_of_two_streams_is_recorded_as_the_language_does) {
  dsl::attention_settings a{
      .value = {.heads = 4, .kv_heads = 2, .causal = true, .window = 5, .rope = {.width = 4, .interleaved = true}},
      .head_width_given = 6,
      .qk_norm = {.present = true, .operation = op::layer_norm, .has_bias = true, .epsilon = 1e-3},
      .q_bias = true,
      .k_bias = true,
      .v_bias = true,
      .fused = true};
  dsl::attention_settings x{.value = {.heads = 2, .softcap = 30, .alibi = true}, .o_bias = true, .cross = true};
  auto attention = [](char const* name, dsl::attention_settings const& s) {
    return make({.is = operation::kind::attention, .name = name, .takes = d, .attention = dsl::complete(s, d.extent)});
  };
  using enum step::kind;
  auto applied = [](int to, operation_pointer what, int memory = -1) {
    return step{.is = apply, .a = to, .b = memory, .what = std::move(what)};
  };
  operation_pointer const branch = make(
      {.is = operation::kind::branch,
       .name = "F",
       .functions = {{{applied(0, make({.is = operation::kind::linear, .name = "up", .takes = d, .makes = h, .has_bias = true})),
                       applied(1, make({.is = operation::kind::activation, .which = op::silu})),
                       applied(2, make({.is = operation::kind::linear, .name = "down", .takes = h, .makes = d}))},
                      3}}});
  random_graph::function const layer{{applied(0, make(norm(op::rms_norm, "N", false, true))),          // 2
                                      applied(2, attention("A", a)),                                   // 3
                                      {.is = add, .a = 0, .b = 3},                                     // 4: u
                                      applied(4, attention("X", x), 1),                                // 5
                                      applied(5, make({.is = operation::kind::scalar, .name = "a"})),  // 6
                                      {.is = subtract, .a = 4, .b = 6},                                // 7: w
                                      applied(7, make(norm(op::layer_norm, "M", false, false))),       // 8
                                      applied(8, branch),                                              // 9
                                      applied(7, branch),                                              // 10
                                      {.is = step::kind::hadamard, .a = 10, .b = 7},                   // 11
                                      {.is = multiple, .a = 11, .factor = 0.5},                        // 12
                                      {.is = add, .a = 9, .b = 12}},                                   // 13
                                     13};
  recorder made;
  graph::graph_view const wanted = written::decoder.view();
  value const stream = made.input(wanted.input().shape, "x", 0);
  value const memory = made.input(wanted.input(1).shape, "memory", 1);
  operation const stack{.is = operation::kind::stack, .name = "h", .functions = {layer, layer}};
  check_same(wanted, made, made.apply(stack, stream, &memory).at);
}

BOOST_AUTO_TEST_CASE(a_memory_that_is_the_stream_and_renamed_axes_are_recorded_as_the_language_does) {
  recorder made;
  graph::graph_view const wanted = written::self.view();
  value const x = made.input(wanted.input().shape, "x", 0);
  operation const attention{.is = operation::kind::attention,
                            .name = "A",
                            .takes = d,
                            .attention = dsl::complete({.value = {.heads = 1}, .cross = true}, d.extent)};
  graph::axis_value const T = dsl::value_of(written::T), S = dsl::value_of(written::S);
  using enum step::kind;
  random_graph::function const body{{{.is = apply, .a = 0, .b = 0, .what = make(attention)},
                                     {.is = multiple, .a = 1, .factor = 2, .symbol = "c"},
                                     {.is = step::kind::renamed, .a = 0, .from = T, .to = S},
                                     {.is = step::kind::renamed, .a = 3, .from = S, .to = T},
                                     {.is = apply, .a = 4, .what = make({.is = operation::kind::vector, .name = "g"})},
                                     {.is = add, .a = 2, .b = 5}},
                                    6};
  check_same(wanted, made, made.run(body, x, nullptr).at);
}

BOOST_AUTO_TEST_CASE(terms_numbers_and_conditions_are_recorded_as_the_language_does) {
  recorder made;
  graph::graph_view const wanted = written::terms.view();
  value const x = made.input(wanted.input().shape, "x", 0);
  value const memory = made.input(wanted.input(1).shape, "memory", 1);
  operation_pointer const b = make({.is = operation::kind::vector, .name = "b", .takes = d});
  operation_pointer const s = make({.is = operation::kind::scalar, .name = "s"});
  using enum step::kind;
  random_graph::function const body{{{.is = with_term, .a = 0, .sum = op::subtract, .term_first = true},             // 2: u
                                     {.is = with_term, .a = 2, .what = b},                                           // 3: v
                                     {.is = with_term, .a = 3, .what = s, .sum = op::subtract, .term_first = true},  // 4: w
                                     {.is = at_each_token, .a = 0, .what = b},                                       // 5: g
                                     {.is = condition, .a = 1, .b = 0},                                              // 6
                                     {.is = mean, .a = 6},                                                           // 7: m
                                     {.is = step::kind::hadamard, .a = 5, .b = 4},                                   // 8
                                     {.is = token_multiple, .a = 8, .b = 7},                                         // 9: p
                                     {.is = inner, .a = 0, .b = 4},                                                  // 10
                                     {.is = token_multiple, .a = 0, .b = 10},                                        // 11: q
                                     {.is = add, .a = 9, .b = 11}},                                                  // 12
                                    12};
  check_same(wanted, made, made.run(body, x, &memory).at);
}

BOOST_AUTO_TEST_CASE(attention_by_its_parts_is_recorded_as_the_language_does) {
  recorder made;
  graph::graph_view const wanted = written::by_parts.view();
  value const x = made.input(wanted.input().shape, "x", 0);
  graph::axis_value const kv = dsl::value_of(written::kv);
  auto settings = [](graph::attention_value const& v) { return dsl::complete({.value = v}, d.extent); };
  operation const rotary{.is = operation::kind::rotary,
                         .name = "R",
                         .attention = settings({.heads = 2, .rope = {.width = 6, .base = 10, .interleaved = true}})};
  operation const attend{.is = operation::kind::attend,
                         .name = "A",
                         .attention = settings({.heads = 2, .kv_heads = 1, .softcap = 3, .causal = true})};
  operation normed = norm(op::rms_norm, "N", false, false);
  normed.groups = 3;
  operation const linear{.is = operation::kind::linear, .name = "k", .takes = d, .makes = kv};
  using enum step::kind;
  random_graph::function const body{{{.is = apply, .a = 0, .what = make(rotary)},
                                     {.is = apply, .a = 0, .what = make(linear)},
                                     {.is = apply, .a = 2, .what = make(normed)},
                                     {.is = apply, .a = 1, .b = 3, .c = 3, .what = make(attend)}},
                                    4};
  check_same(wanted, made, made.run(body, x, nullptr).at);
}

namespace {

using number = reference::bounded<double, 8>;

/// The operator of a request against the interpreter's derivative by a variable, each entry within the interpreter's bound.
std::string difference(reference::problem<double> const& p, oracle::operator_value const& displayed,
                       calculus::derivative_request const& request, std::string_view by) {
  reference::matrix<double> const j = displayed(request);
  auto moving = reference::converted<number>(p);
  auto& variable = reference::variable(moving, by);
  for (std::size_t first = 0; first < variable.size(); first += 8) {
    for (std::size_t k = 0; k < 8 && first + k < variable.size(); ++k) variable[first + k].slope[k] = 1;
    std::vector<number> const y = reference::output(moving);
    for (std::size_t k = 0; k < 8 && first + k < variable.size(); ++k) {
      variable[first + k].slope[k] = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        double const bound = 16 * y[i].slope_error[k];
        if (std::isfinite(bound) && !(std::abs(j(i, first + k) - y[i].slope[k]) <= bound))
          return "entry (" + std::to_string(i) + ", " + std::to_string(first + k) + ") is " + std::to_string(j(i, first + k)) +
                 ", must be " + std::to_string(y[i].slope[k]) + ", allowed " + std::to_string(bound);
      }
    }
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(displayed_jacobians_are_the_derivatives) {
  std::size_t compared = 0;
  for (std::uint64_t number = 0; number < 1500; ++number) {
    random_graph::random_block const block = random_graph::make_block(1, number, {.most_nodes = 30, .long_streams = false});
    graph::graph_view const graph = block.view();
    reference::problem<double> const p = reference::random_problem(graph, block.lengths, number);
    if (std::max({p.x.size(), p.memory.size(), reference::size_of(p.lengths, graph.result().shape)}) > 40) continue;
    ++compared;
    oracle::operator_value const displayed(p);
    for (auto level : {calculus::detail_level::branches, calculus::detail_level::parts}) {
      auto check = [&](calculus::derivative_request const& request, std::string_view by) {
        std::string const wrong = difference(p, displayed, request, by);
        BOOST_TEST(wrong.empty(),
                   "block " << number << ", by " << by << ": " << wrong << "\n  " << random_graph::described(block));
      };
      check({.level = level}, reference::by_stream);
      if (reference::reads_memory(graph)) check({.input = 1, .level = level}, reference::by_memory);
      auto const parameters = reference::parameter_shapes(graph);
      for (std::size_t i = number % 3; i < parameters.size(); i += 3)
        if (p.weights.at(parameters[i].path).size() <= 40)
          check({.of_stream = false, .wrt = parameters[i].which, .level = level}, parameters[i].path);
    }
  }
  BOOST_TEST(compared > 400u);
}
