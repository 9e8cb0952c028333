// The oracle against itself, by hand and against the calculus: a wrong value or derivative of any operation, and any
// placement whose displayed Jacobian is not the derivative of what it computes.
#define BOOST_TEST_MODULE oracle
#include <boost/test/unit_test.hpp>
#include <residua/dsl.hpp>

#include "alone.hpp"
#include "displayed.hpp"

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"d", 5> d;
inline constexpr axis<"e", 5> e;
inline constexpr axis<"h", 7> h;
inline constexpr axis<"w"> w;  // a run-time width
inline constexpr auto rows = stream(B, T, d);

inline constexpr auto N = layer_norm<"N">(d);
inline constexpr auto N1 = layer_norm<"N1">(d, no_bias);
inline constexpr auto N2 = rms_norm<"N2">(d, unit_offset);
inline constexpr auto N3 = rms_norm<"N3">(d, epsilon<1e-3>);
inline constexpr auto N4 = layer_norm<"N4">(d, no_affine, epsilon<0.5>);
inline constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias));
inline constexpr auto A = branch<"A">(linear<"in">(d, d) | residua::dsl::tanh | linear<"out">(d, d, with_bias));
inline constexpr auto M = branch<"M">(linear<"up">(d, h) | silu | linear<"down">(h, d));
inline constexpr auto gamma = learned_vector<"gamma">(d);
inline constexpr auto omega = learned_vector<"omega">(d);
inline constexpr auto alpha = learned_scalar<"alpha">;
inline constexpr auto beta = learned_scalar<"beta">;

// one operation each
template <class Operation>
constexpr auto alone(Operation) {
  return map<"alone">(stream(T, d), [](auto x) { return Operation{}(x); });
}

// placements
inline constexpr auto pre = block<"pre">(rows, [](auto x) { return x + F(N(x)); });
inline constexpr auto post = block<"post">(rows, [](auto x) { return N(x + F(x)); });
inline constexpr auto sandwich = block<"sandwich">(rows, [](auto x) { return x + N2(F(N1(x))); });
inline constexpr auto res_post = block<"res_post">(rows, [](auto x) { return x + N(F(x)); });
inline constexpr auto deep_norm = block<"deep_norm">(rows, [](auto x) { return N(constant<"alpha">(2.83) * x + F(x)); });
inline constexpr auto normed_skip = block<"normed_skip">(rows, [](auto x) {
  auto z = N(x);
  return constant<"alpha">(1.7) * z + F(z);
});
inline constexpr auto two_pre = block<"two_pre">(rows, [](auto x) {
  auto u = x + A(N1(x));
  return u + M(N2(u));
});
inline constexpr auto two_post = block<"two_post">(rows, [](auto x) {
  auto u = N1(x + A(x));
  return N2(u + M(u));
});
inline constexpr auto parallel_one = block<"parallel_one">(rows, [](auto x) {
  auto z = N(x);
  return x + A(z) + M(z);
});
inline constexpr auto parallel_one_again = block<"parallel_one_again">(rows, [](auto x) { return x + A(N(x)) + M(N(x)); });
inline constexpr auto parallel_two = block<"parallel_two">(rows, [](auto x) { return x + A(N1(x)) + M(N2(x)); });
inline constexpr auto b2t = block<"b2t">(rows, [](auto x) {
  auto u = N1(x + A(x));
  return N2(u + M(u) + x);
});
inline constexpr auto span_norm = block<"span_norm">(rows, [](auto x) {
  auto u = N1(x + A(x));
  return N2(x + M(u));
});
inline constexpr auto hybrid_norm = block<"hybrid_norm">(rows, [](auto x) {
  auto z = N(x + A(x));
  return z + M(z);
});
inline constexpr auto admin = block<"admin">(rows, [](auto x) { return N(omega * x + F(x)); });
inline constexpr auto layer_scale = block<"layer_scale">(rows, [](auto x) { return x + gamma * F(N(x)); });
inline constexpr auto lns = stack<"h", 3>(
    [](auto index) { return block<"layer">(rows, [](auto x) { return x + F((1.0 / (decltype(index)::value + 1)) * N(x)); }); });
inline constexpr auto re_zero = block<"re_zero">(rows, [](auto x) {
  auto u = x + alpha * A(x);
  return u + alpha * M(u);
});
inline constexpr auto macaron = block<"macaron">(rows, [](auto x) {
  auto u = x + 0.5 * F(N1(x));
  auto z = u + A(N2(u));
  return N(z + 0.5 * M(N3(z)));
});
inline constexpr auto normformer = block<"normformer">(rows, [](auto x) {
  auto u = x + N1(A(N2(x)));
  return omega * u + branch<"G">(linear<"up">(d, h) | relu | layer_norm<"N">(h) | linear<"down">(h, d))(N3(u));
});

// gates, written out and inside a branch
inline constexpr auto gate = linear<"gate">(d, h);
inline constexpr auto up = linear<"up">(d, h, with_bias);
inline constexpr auto down = linear<"down">(h, d);
inline constexpr auto gated = block<"gated">(rows, [](auto x) {
  auto z = N3(x);
  return x + down(hadamard(silu(gate(z)), up(z)));
});
inline constexpr auto gated_branch = block<"gated_branch">(
    rows, [](auto x) { return x + branch<"G">([](auto z) { return down(hadamard(gelu_erf(gate(z)), up(z))); })(N3(x)); });
inline constexpr auto square = block<"square">(rows, [](auto x) { return x + hadamard(x, N(x)) + hadamard(x, x); });
inline constexpr auto highway = block<"highway">(rows, [](auto x) {
  auto t = sigmoid(linear<"t">(d, d, with_bias)(x));
  return hadamard(t, F(x)) + x - hadamard(t, x);
});

// skips that are not x, and algebra that cancels
inline constexpr auto vector_skip = block<"vector_skip">(rows, [](auto x) { return omega * x + gamma * F(N(x)); });
inline constexpr auto minus_branch = block<"minus_branch">(rows, [](auto x) { return x - F(x); });
inline constexpr auto doubled = block<"doubled">(rows, [](auto x) { return x + x; });
inline constexpr auto cancelled = block<"cancelled">(rows, [](auto x) { return F(x) + N(x) - x - N(x); });
inline constexpr auto nothing = block<"nothing">(rows, [](auto x) { return x - x; });
inline constexpr auto scaled_twice = block<"scaled_twice">(
    rows, [](auto x) { return -(alpha * (beta * (alpha * x))) / 3 + beta * F(alpha * x * 0.5) - constant<"c">(0.25) * F(N(x)); });
inline constexpr auto factored = block<"factored">(rows, [](auto x) { return F(N(x)) + N(x) + 2 * A(N(x)) - gamma * N(x); });

// sharing and nesting
inline constexpr auto shared_twice = block<"shared_twice">(rows, [](auto x) {
  auto u = x + F(N(x));
  return u + F(N(u));
});
inline constexpr auto branch_of_branch = block<"branch_of_branch">(rows, [](auto x) { return x + F(A(N(x))); });
inline constexpr auto inner = branch<"inner">([](auto z) { return z + down(relu_squared(up(N2(z)))); });
inline constexpr auto outer = branch<"outer">([](auto z) { return N1(inner(z)) + 0.5 * inner(A(z)) - z; });
inline constexpr auto nested = block<"nested">(rows, [](auto x) { return x + outer(N(x)) + outer(x); });
inline constexpr auto empty_branch = branch<"same">([](auto z) { return z; });
inline constexpr auto passing = block<"passing">(
    rows, [](auto x) { return empty_branch(x) + branch<"P">([](auto z) { return empty_branch(F(z)); })(empty_branch(N(x))); });
inline constexpr auto learned_in_branch = block<"learned_in_branch">(
    rows, [](auto x) { return x + branch<"L">([](auto z) { return alpha * (gamma * N4(z)) + softplus(z); })(alpha * x); });
inline constexpr auto stacked = stack<"h", 3>(pre);
inline constexpr auto mixed = stack<"m", 3>([](auto index) {
  if constexpr (index < 1) return post;
  else return two_pre;
});
inline constexpr auto in_a_block = block<"in_a_block">(rows, [](auto x) { return N4(stack<"g", 2>(re_zero)(pre(x))); });
inline constexpr auto two_ways = block<"two_ways">(rows, [](auto x) {  // ResiDual
  auto r = x;
  layers<"h", 3>(x, [&](auto layer) {
    auto f = F(x);
    r += 0.5 * f;
    x = N(x + f);
    if constexpr (layer == 1) r = gamma * r;
  });
  return x + N2(r);
});
inline constexpr auto history = block<"history">(rows, [](auto x) {
  std::vector before{x};
  layers<"h", 2>(x, [&](auto layer) {
    before.push_back(x + M(N1(x)));
    layers<"a", layer + 2>(x, [&](auto j) {
      if constexpr (j == 0) x = alpha * before[j];
      else x += alpha * before[j];
    });
  });
  return x;
});

// terms
inline constexpr auto terms = block<"terms">(rows, [](auto x) {
  auto t = sigmoid(alpha + linear<"t">(d, d)(omega - x));
  auto v = at_each_token(gamma, N(x + beta - 0.5));
  return hadamard(1 - t, x) + hadamard(t, F(x - omega)) + softplus(v - constant<"c">(0.3)) - (beta - hadamard(v, x));
});

// numbers of tokens
inline constexpr auto orthogonal = block<"orthogonal">(rows, [](auto x) {  // Oh et al. 2025
  auto f = F(N(x));
  auto n = N4(x);
  return x + f - residua::dsl::inner(f, n) * n;
});
inline constexpr auto numbers = block<"numbers">(rows, [](auto x) {
  auto s = linear<"s">(d, one, with_bias)(x);
  auto m = mean(A(x) - 2 * x);
  return (sigmoid(s) * F(x) + x) * m + mean(s) * (softplus(m) * N(x)) - (1 - residua::dsl::inner(x, alpha * x)) * (omega * x);
});

// gradients that stop: GPAS (2506.22049), and a branch that stops its own skip
inline constexpr auto gpas = block<"gpas">(rows, [](auto x) {
  auto y = x + F(N(x));
  return y - silu(at_each_token(alpha, y)) * stopped(y);
});
inline constexpr auto stopped_inside = block<"stopped_inside">(rows, [](auto x) {
  return x + branch<"S">([](auto z) { return A(z) - hadamard(stopped(z), sigmoid(stopped(M(z)) + z)); })(N(x));
});

// a condition for each sequence: adaLN-Zero (Peebles & Xie 2022)
inline constexpr axis<"each", 1> each;
inline constexpr axis<"c", 3> c;
inline constexpr auto adaptive = block<"adaptive">(rows, stream(B, each, c), [](auto x, auto memory) {
  auto s = silu(memory);
  auto of = [&](auto linear) { return at_each_token(linear(s), x); };
  auto z = hadamard(1 + of(linear<"scale">(c, d, with_bias)), N4(x)) + of(linear<"shift">(c, d));
  return x + hadamard(of(linear<"gate">(c, d)), F(z)) + at_each_token(mean(memory), x) * x;
});

// other axes
inline constexpr auto rename = block<"rename">(rows, [](auto x) {
  auto z = linear<"q">(e, e, with_bias)(renamed(x, d, e));
  return x + renamed(z, e, d) + renamed(renamed(N(x), T, S), S, T);
});
inline constexpr auto head = map<"head">(rows, [](auto x) { return linear<"head">(d, h, with_bias)(N(x)); });
inline constexpr auto to_renamed = map<"to_renamed">(rows, [](auto x) { return renamed(F(x), T, S); });
inline constexpr auto run_time_width = block<"run_time_width">(stream(B, T, w), [](auto x) {
  return x + branch<"F">(linear<"up">(w, h, with_bias) | gelu_erf | linear<"down">(h, w))(layer_norm<"N">(w)(x));
});
}  // namespace blocks

using namespace residua;
using oracle::distance;
using oracle::problem;
using vector = std::vector<double>;

namespace {

/// Dual numbers against finite differences, by the stream and every parameter.
template <class Block>
void check_differences(Block const& block) {
  graph::graph_view const graph = block.view();
  problem<double> const p = oracle::random_problem(graph, {{"B", 2}, {"T", 3}, {"w", 4}}, 7);
  oracle::noise directions(8);
  auto compare = [&](std::string const& by) {
    vector const v = directions.list(oracle::variable(p, by).size());
    double const off = distance(oracle::jvp(p, by, v), oracle::finite_difference(p, by, v));
    BOOST_TEST(off < 1e-9, graph.name << ", by '" << by << "': off by " << off);
  };
  compare(std::string(oracle::by_stream));
  for (oracle::parameter_shape const& each : oracle::parameter_shapes(graph)) compare(each.path);
}

template <class Block>
vector value(Block const& block, oracle::parameters<double> weights, vector x, oracle::extents lengths = {{"B", 1}, {"T", 1}}) {
  return oracle::output(problem<double>{block.view(), std::move(lengths), std::move(weights), {std::move(x)}});
}

void check_equal(vector const& a, vector const& b) {
  double const off = distance(a, b);
  BOOST_TEST(off < 1e-14, "off by " << off);
}

constexpr auto two_wide = dsl::axis<"p", 2>{};
constexpr auto three_wide = dsl::axis<"q", 3>{};
constexpr auto pair_stream = dsl::stream(blocks::T, two_wide);

}  // namespace

BOOST_AUTO_TEST_SUITE(by_hand)

BOOST_AUTO_TEST_CASE(linear_is_x_times_w_plus_b) {
  constexpr auto b = dsl::map<"b">(pair_stream, [](auto x) { return dsl::linear<"W">(two_wide, three_wide, dsl::with_bias)(x); });
  check_equal(value(b, {{"W.weight", {1, 2, 3, 4, 5, 6}}, {"W.bias", {10, 20, 30}}}, {1, 1, 2, -1}, {{"T", 2}}),
              {15, 27, 39, 8, 19, 30});
}

BOOST_AUTO_TEST_CASE(layer_norm_has_the_biased_variance_and_epsilon_inside) {
  constexpr auto b = dsl::block<"b">(pair_stream, [](auto x) { return dsl::layer_norm<"N">(two_wide, dsl::epsilon<3.0>)(x); });
  check_equal(value(b, {{"N.weight", {2, 4}}, {"N.bias", {10, 20}}}, {4, 6}), {9, 22});  // variance 1, s = 2
}

BOOST_AUTO_TEST_CASE(rms_norm_does_not_centre_and_adds_one_to_the_weight) {
  constexpr auto b =
      dsl::block<"b">(pair_stream, [](auto x) { return dsl::rms_norm<"N">(two_wide, dsl::unit_offset, dsl::epsilon<0.25>)(x); });
  double const s = std::sqrt(12.75);  // mean square 12.5
  check_equal(value(b, {{"N.weight", {1, -1}}}, {3, 4}), {2 * 3 / s, 0});
}

BOOST_AUTO_TEST_CASE(dyt_has_one_alpha_inside_and_a_gain_outside) {
  constexpr auto b = dsl::block<"b">(pair_stream, [](auto x) { return dsl::dyt<"N">(two_wide)(x); });
  // tanh(log(2)) = 3/5
  check_equal(value(b, {{"N.weight", {5, 10}}, {"N.bias", {1, 2}}, {"N.alpha", {0.5}}}, {std::log(4.0), -std::log(4.0)}),
              {4, -4});
}

BOOST_AUTO_TEST_CASE(scalars_vectors_and_constants) {
  constexpr auto b = dsl::block<"b">(pair_stream, [](auto x) {
    return dsl::learned_scalar<"a"> * (dsl::learned_vector<"g">(two_wide) * x) - x / 4 + dsl::hadamard(x, -x);
  });
  check_equal(value(b, {{"a", {3}}, {"g", {5, 7}}}, {4, 8}), {60 - 1 - 16, 168 - 2 - 64});
}

BOOST_AUTO_TEST_CASE(terms_are_added_to_each_token) {
  constexpr auto b = dsl::block<"b">(pair_stream, [](auto x) {
    constexpr auto v = dsl::learned_vector<"v">(two_wide);
    return (1 - x) + (x - v) * 2 + dsl::hadamard(dsl::at_each_token(v, x), x) + dsl::learned_scalar<"a">;
  });
  check_equal(value(b, {{"a", {10}}, {"v", {3, 5}}}, {1, 2, 3, 4}, {{"T", 2}}), {9, 13, 17, 25});
}

BOOST_AUTO_TEST_CASE(numbers_of_tokens) {
  constexpr auto b = dsl::block<"b">(pair_stream, [](auto x) { return dsl::mean(x) * x - x * dsl::inner(x, 3 * x); });
  check_equal(value(b, {}, {1, 3, 2, -2}, {{"T", 2}}), {2 - 30, 6 - 90, -48, 48});
}

BOOST_AUTO_TEST_CASE(activations_at_known_points) {
  using graph::op;
  using oracle::activated;
  auto check = [](op operation, double x, double y) {
    BOOST_TEST(std::abs(activated(operation, x) - y) < 1e-15 * std::max(1.0, std::abs(y)),
               calculus::rule_of(operation).word << " at " << x);
  };
  check(op::tanh, 0.5, 0.46211715726000975850);
  check(op::relu, -2, 0);
  check(op::relu, 2, 2);
  check(op::relu_squared, -2, 0);
  check(op::relu_squared, 3, 9);
  check(op::gelu_erf, 1, 0.84134474606854294859);
  check(op::gelu_erf, -2, -0.04550026389635841440);
  check(op::gelu_tanh, 1, 0.84119199060827670478);
  check(op::silu, 1, 0.73105857863000487926);
  check(op::sigmoid, -1, 0.26894142136999512075);
  check(op::softplus, 0, 0.69314718055994530942);
  for (double x : {-1e4, -800.0, 800.0, 1e4}) {  // no overflow on either side
    double const positive = std::max(x, 0.0);
    for (op operation : {op::relu, op::gelu_erf, op::gelu_tanh, op::silu, op::softplus}) check(operation, x, positive);
    check(op::sigmoid, x, x > 0 ? 1 : 0);
    check(op::tanh, x, x > 0 ? 1 : -1);
    for (op operation : {op::relu, op::gelu_erf, op::gelu_tanh, op::silu, op::softplus, op::sigmoid, op::tanh}) {
      oracle::dual<double> moving(x);
      moving.slope[0] = 1;
      double const slope = activated(operation, moving).slope[0];
      bool const flat = operation == op::sigmoid || operation == op::tanh;
      BOOST_TEST(slope == (x > 0 && !flat ? 1.0 : 0.0), calculus::rule_of(operation).word << "' at " << x << " is " << slope);
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_reaches_its_own_token_only) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  problem<double> p = oracle::random_problem(blocks::two_pre.view(), {{"B", 1}, {"T", 3}}, 1);
  p.inputs[0][6] = nan;
  vector const y = oracle::output(p);
  for (std::size_t i = 0; i < y.size(); ++i) BOOST_TEST(std::isnan(y[i]) == (i / 5 == 1));
  for (graph::op operation : calculus::operations_of(calculus::kind::pointwise))
    BOOST_TEST(std::isnan(oracle::activated(operation, nan)));
}

BOOST_AUTO_TEST_CASE(parameters_have_their_shapes) {
  std::string list;
  for (oracle::parameter_shape const& each : oracle::parameter_shapes(blocks::run_time_width.view())) {
    list += each.path;
    for (auto const& axis : each.axes) list += " " + std::string(axis.name);
    list += "; ";
  }
  BOOST_TEST(list == "N.weight w; N.bias w; F.up.weight w h; F.up.bias h; F.down.weight h w; ");
  oracle::parameter_shape const scalar = oracle::parameter_shapes(blocks::learned_in_branch.view())[0];
  BOOST_TEST(scalar.path == "alpha");
  BOOST_TEST(scalar.axes.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dual_against_finite_differences)

BOOST_AUTO_TEST_CASE(every_operation) {
  using namespace blocks;
  check_differences(alone(N));
  check_differences(alone(N1));
  check_differences(alone(N2));
  check_differences(alone(N3));
  check_differences(alone(N4));
  check_differences(alone(up));
  check_differences(alone(gate));
  check_differences(alone(alpha));
  check_differences(alone(blocks::gamma));
  for (oracle::alone const& each : oracle::every_activation_and_norm()) check_differences(each);
  check_differences(square);
  check_differences(scaled_twice);
  check_differences(blocks::terms);
  check_differences(blocks::numbers);
  check_differences(blocks::adaptive);
  check_differences(blocks::rename);
  check_differences(nested);
  check_differences(mixed);
}

BOOST_AUTO_TEST_CASE(columns_are_jvps_of_unit_vectors_and_vjp_is_the_adjoint) {
  problem<double> const p = oracle::random_problem(blocks::nested.view(), {{"B", 2}, {"T", 2}}, 3);
  oracle::noise source(4);
  vector const v = source.list(p.inputs[0].size()), u = source.list(p.inputs[0].size());
  vector const dy = oracle::jvp(p, oracle::by_stream, v), gx = oracle::vjp(p, oracle::by_stream, u);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < v.size(); ++i) left += u[i] * dy[i], right += gx[i] * v[i];
  BOOST_TEST(std::abs(left - right) < 1e-12 * std::abs(left));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(displayed_against_dual)

oracle::extents const lengths{{"B", 2}, {"T", 3}, {"w", 4}};

#define RESIDUA_DISPLAYED(name)                            \
  BOOST_AUTO_TEST_CASE(name) {                             \
    oracle::check_displayed(blocks::name.view(), lengths); \
    oracle::check_constant(blocks::name);                  \
  }

RESIDUA_DISPLAYED(pre)
RESIDUA_DISPLAYED(post)
RESIDUA_DISPLAYED(sandwich)
RESIDUA_DISPLAYED(res_post)
RESIDUA_DISPLAYED(deep_norm)
RESIDUA_DISPLAYED(normed_skip)
RESIDUA_DISPLAYED(two_pre)
RESIDUA_DISPLAYED(two_post)
RESIDUA_DISPLAYED(parallel_one)
RESIDUA_DISPLAYED(parallel_one_again)
RESIDUA_DISPLAYED(parallel_two)
RESIDUA_DISPLAYED(b2t)
RESIDUA_DISPLAYED(span_norm)
RESIDUA_DISPLAYED(hybrid_norm)
RESIDUA_DISPLAYED(admin)
RESIDUA_DISPLAYED(layer_scale)
RESIDUA_DISPLAYED(lns)
RESIDUA_DISPLAYED(re_zero)
RESIDUA_DISPLAYED(macaron)
RESIDUA_DISPLAYED(normformer)
RESIDUA_DISPLAYED(gated)
RESIDUA_DISPLAYED(gated_branch)
RESIDUA_DISPLAYED(square)
RESIDUA_DISPLAYED(highway)
RESIDUA_DISPLAYED(vector_skip)
RESIDUA_DISPLAYED(minus_branch)
RESIDUA_DISPLAYED(doubled)
RESIDUA_DISPLAYED(cancelled)
RESIDUA_DISPLAYED(nothing)
RESIDUA_DISPLAYED(scaled_twice)
RESIDUA_DISPLAYED(factored)
RESIDUA_DISPLAYED(shared_twice)
RESIDUA_DISPLAYED(branch_of_branch)
RESIDUA_DISPLAYED(nested)
RESIDUA_DISPLAYED(passing)
RESIDUA_DISPLAYED(learned_in_branch)
RESIDUA_DISPLAYED(stacked)
RESIDUA_DISPLAYED(mixed)
RESIDUA_DISPLAYED(in_a_block)
RESIDUA_DISPLAYED(two_ways)
RESIDUA_DISPLAYED(history)
RESIDUA_DISPLAYED(terms)
RESIDUA_DISPLAYED(adaptive)
RESIDUA_DISPLAYED(gpas)
RESIDUA_DISPLAYED(stopped_inside)
RESIDUA_DISPLAYED(orthogonal)
RESIDUA_DISPLAYED(numbers)
RESIDUA_DISPLAYED(rename)
RESIDUA_DISPLAYED(head)
RESIDUA_DISPLAYED(to_renamed)
RESIDUA_DISPLAYED(run_time_width)

#undef RESIDUA_DISPLAYED

/// What is not trained moves the value all the same.
BOOST_AUTO_TEST_CASE(values_have_derivatives_that_do_not_stop) {
  for (graph::graph_view const& graph : {blocks::gpas.view(), blocks::stopped_inside.view()}) {
    problem<double> const p = oracle::random_problem(graph, lengths, 5);
    vector const v = oracle::noise(6).list(p.inputs[0].size());
    auto along = [&](bool of_value) {
      oracle::matrix<double> const j = oracle::operator_value(p)({.of_value = of_value});
      vector dy(j.rows);
      for (std::size_t i = 0; i < j.rows; ++i)
        for (std::size_t k = 0; k < j.columns; ++k) dy[i] += j(i, k) * v[k];
      return dy;
    };
    vector const moved = oracle::finite_difference(p, oracle::by_stream, v);
    BOOST_TEST(distance(along(true), moved) < 1e-9, graph.name);
    BOOST_TEST(distance(along(false), moved) > 1e-2, graph.name);
  }
}

BOOST_AUTO_TEST_CASE(every_activation_and_norm) {
  for (oracle::alone const& each : oracle::every_activation_and_norm()) oracle::check_displayed(each.view(), lengths);
}

BOOST_AUTO_TEST_SUITE_END()
