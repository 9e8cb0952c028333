// The formulas of the table against the interpreter, which states every operation anew: a wrong value, derivative or adjoint
// in a row, and a printed name that stands for something else than what is computed.
#define BOOST_TEST_MODULE formula
#include <boost/test/unit_test.hpp>
#include <residua/dsl.hpp>

#include "../numeric/attention_blocks.hpp"
#include "alone.hpp"
#include "displayed.hpp"

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"T"> T;
inline constexpr axis<"d", 4> d;
inline constexpr axis<"h", 6> h;

/// Every operation that is no activation and no attention, with and without its options.
inline constexpr auto many = block<"many">(stream(T, d), [](auto x) {
  auto a = layer_norm<"A">(d)(x) + layer_norm<"B">(d, no_bias)(x) - layer_norm<"C">(d, no_affine, epsilon<0.5>)(x);
  auto b = rms_norm<"D">(d)(x) + rms_norm<"E">(d, unit_offset, epsilon<1e-3>)(a);
  auto c = learned_vector<"gamma">(d) * hadamard(a, b) - constant<"c">(0.3) * b + learned_scalar<"alpha"> * (a / 3);
  c = learned_vector<"beta">(d) - (c + learned_scalar<"mu"> - 1);
  c = mean(c) * x - inner(a, c) * b;
  auto e = linear<"down">(h, d)(linear<"up">(d, h, with_bias)(renamed(c, T, axis<"U">{})));
  auto f = concat(part<1>(x, axis<"p", 3>{}), part(c, axis<"r", 1>{}), d);
  auto g = concat(f, linear<"wide">(d, h)(f), part<2>(x, axis<"s", 2>{}), axis<"all", 12>{});
  return renamed(e, axis<"U">{}, T) + part<7>(g, d);
});
}  // namespace blocks

using namespace residua;
using oracle::distance;

namespace {

using dual = oracle::dual<double>;

dual moving(double x) {
  dual made(x);
  made.slope[0] = 1;
  return made;
}

/// A pointwise formula at a number; of a derivative diag(f'(x)), f'(x).
template <class Number>
Number at(graph::op operation, calculus::formula_function stated, Number const& x) {
  calculus::formulas all(graph::node{.operation = operation});
  oracle::formula_point<Number> const point{.symbol = [&](std::string_view name, std::size_t) {
    return oracle::number_of(name == "pi" ? Number(std::numbers::pi) : x);
  }};
  return oracle::formula_value(all, point)(stated(all)).data.at(0);
}

/// -12 ... 12, zero left out: there relu has no derivative.
std::vector<double> points() {
  std::vector<double> list;
  for (int k = -960; k <= 960; ++k)
    if (k != 0) list.push_back(k / 80.0);
  return list;
}

void check_close(double a, double b, graph::op operation, char const* what, double x) {
  BOOST_TEST(std::abs(a - b) <= 1e-13 * std::max(1.0, std::abs(b)),
             calculus::rule_of(operation).word << what << " at " << x << " is " << a << ", must be " << b);
}

/// The factors of a graph, each with the operand that it is for.
template <class Visit>
void for_each_factor(graph::graph_view const& graph, Visit const& visit) {
  for (int n = 0; n < graph.size(); ++n)
    for (std::size_t k = 0; k < graph[n].operands.size() && graph[n].operands[k] >= 0; ++k) visit(n, k);
}

oracle::extents const lengths{{"B", 2}, {"T", 5}, {"S", 3}, {"r", 6}};

std::vector<graph::graph_view> graphs() {
  using namespace attention_blocks;
  static std::vector<oracle::alone> const each_alone = oracle::every_activation_and_norm();
  std::vector<graph::graph_view> list{
      blocks::many.view(), pre_norm.view(), post_norm.view(), attention_blocks::parallel.view(), grouped.view(), capped.view(),
      local.view(),        decoder.view(),  aligned.view(),   attention_blocks::shared.view()};
  for (oracle::alone const& each : each_alone) list.push_back(each.view());
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pointwise_values_are_the_interpreters) {
  for (graph::op operation : calculus::operations_of(calculus::kind::pointwise))
    for (double x : points())
      check_close(at(operation, calculus::rule_of(operation).value, x), oracle::activated(operation, x), operation, "", x);
}

BOOST_AUTO_TEST_CASE(pointwise_derivatives_are_those_of_both_values) {
  for (graph::op operation : calculus::operations_of(calculus::kind::pointwise)) {
    calculus::rule const& row = calculus::rule_of(operation);
    for (double x : points()) {
      double const slope = at(operation, row.derivatives[0], x);
      check_close(slope, oracle::activated(operation, moving(x)).slope[0], operation, "'", x);
      check_close(slope, at(operation, row.value, moving(x)).slope[0], operation, "' of its stated value", x);
    }
  }
}

BOOST_AUTO_TEST_CASE(stated_values_are_the_interpreters) {
  for (graph::graph_view const& graph : graphs()) {
    oracle::problem<double> const p = oracle::random_problem(graph, lengths, 1);
    oracle::operator_value const stated(p);
    for (int n = 0; n < graph.size(); ++n) {
      if (calculus::kind_of(graph[n]) == calculus::kind::input || calculus::kind_of(graph[n]) == calculus::kind::renamed)
        continue;
      double const off = distance(stated.stated(n), stated.value(n));
      BOOST_TEST(off < 1e-12, graph.name << ", " << calculus::rule_of(graph[n]).word << ": off by " << off);
    }
  }
}

BOOST_AUTO_TEST_CASE(adjoints_are_transposes) {
  for (graph::graph_view const& graph : graphs()) {
    oracle::problem<double> const p = oracle::random_problem(graph, lengths, 2);
    oracle::operator_value const stated(p);
    for_each_factor(graph, [&](int n, std::size_t k) {
      double const off = distance(stated.local(n, k, true).data, oracle::transpose(stated.local(n, k)).data);
      BOOST_TEST(off < 1e-13, graph.name << ", " << calculus::rule_of(graph[n]).word << " by " << k << ": off by " << off);
    });
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_the_adjoints_of_the_derivatives_by_parameters) {
  oracle::noise source(3);
  for (graph::graph_view const& graph : graphs()) {
    oracle::problem<double> const p = oracle::random_problem(graph, lengths, 3);
    oracle::operator_value const stated(p);
    for (int n = 0; n < graph.size(); ++n)
      for (calculus::role which : calculus::every_role) {
        if (!calculus::reads(graph[n], which)) continue;
        std::vector<double> const g = source.list(stated.value(n).size());
        double const off = distance(stated.gradient(n, which, g), oracle::vjp_entries(stated.by_parameter(n, which), g));
        BOOST_TEST(off < 1e-13, graph.name << ", " << calculus::rule_of(graph[n]).word << ": off by " << off);
      }
  }
}

/// What a formula says in both notations; the adjoint of one factor.
BOOST_AUTO_TEST_CASE(formulas_are_written_in_both_notations) {
  graph::graph_view const graph = blocks::many.view();
  auto written = [&](int n, calculus::notation style, bool of_adjoint = false) {
    graph::writer out;
    calculus::write_closed_form(out, graph, {.kind = calculus::atom::local, .index = n, .operand = 0}, of_adjoint, style);
    return std::string(out.view());
  };
  BOOST_TEST(written(1, calculus::notation::text) == "diag(A.weight) (I - 1 1^T/d - xh xh^T/d) / s");
  BOOST_TEST(written(1, calculus::notation::text, true) == "(I - 1 1^T/d - xh xh^T/d) diag(A.weight) / s");
  BOOST_TEST(written(1, calculus::notation::latex) ==
             R"(\frac{\operatorname{diag}(\mathrm{A.weight}) \left(I - \tfrac{\mathbf{1} \mathbf{1}^\top}{d} - )"
             R"(\tfrac{\hat{x} \hat{x}^\top}{d}\right)}{s})");
}
