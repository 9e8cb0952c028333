// Small random expressions in which terms repeat and cancel: the displayed operator and the verdict of the identity's route are
// what dual numbers say. For the verdict the derivative of what mixes features or couples tokens is set to zero there.
// Would catch: a like term that is not added, a cancelled one that is left, two operators taken for one, a verdict that is not
// the path's, a wrong count of norms or a wrong number in front.
#define BOOST_TEST_MODULE random_algebra
#include "recorder.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <oracle/operator_value.hpp>
#include <residua/dsl.hpp>

namespace {

using namespace residua;
using calculus::route;
using graph::op;
using random_graph::function;
using random_graph::operation;
using random_graph::operation_pointer;
using random_graph::recorder;
using random_graph::step;
using reference::matrix;
using reference::problem;

constexpr std::size_t width = 3;
constexpr std::size_t size = 2 * width;  // two tokens
graph::shape_value const stream{{graph::axis_value{"T", 2}, graph::axis_value{"d", width}}, 2};

operation_pointer make(operation what) { return std::make_shared<operation const>(std::move(what)); }
operation_pointer norm(std::string name, op which, bool has_weight) {
  return make({.is = operation::kind::norm, .which = which, .name = std::move(name), .has_weight = has_weight});
}
operation_pointer linear(std::string name) {
  return make({.is = operation::kind::linear, .name = std::move(name), .takes = stream.feature(), .makes = stream.feature()});
}
operation_pointer activation(op which) { return make({.is = operation::kind::activation, .which = which}); }
operation_pointer branch(std::string name, function body) {
  return make({.is = operation::kind::branch, .name = std::move(name), .functions = {std::move(body)}});
}
step applied(int to, operation_pointer what) { return {.is = step::kind::apply, .a = to, .what = std::move(what)}; }

/// Writes functions of few operations, so that the same one meets the same value often.
class author {
 public:
  explicit author(std::uint64_t seed) : source_(seed) {}

  function write() {
    while (chance(0.9) || body_.steps.size() < 3) {
      if (body_.steps.size() == 12) break;
      add_step();
    }
    int last = count() - 1;
    for (int more = below(4); more > 0; --more)
      last = two(chance(0.5) ? step::kind::subtract : step::kind::add, last, below(count()));
    body_.result = last;
    return body_;
  }

 private:
  bool chance(double probability) { return static_cast<double>(source_.bits() >> 11) * 0x1p-53 < probability; }
  int below(int count) { return static_cast<int>(source_.bits() % static_cast<std::uint64_t>(count)); }
  int count() const { return 1 + static_cast<int>(body_.steps.size()); }
  int add(step made) {
    body_.steps.push_back(std::move(made));
    return count() - 1;
  }
  int two(step::kind kind, int a, int b) { return add({.is = kind, .a = a, .b = b}); }

  void add_step() {
    int const at = below(count());
    int const kind = below(20);
    if (kind < 8) add(applied(at, operations()[static_cast<std::size_t>(below(static_cast<int>(operations().size())))]));
    else if (kind < 11) two(step::kind::subtract, at, below(count()));
    else if (kind < 14) two(step::kind::add, at, below(count()));
    else if (kind < 16) two(step::kind::hadamard, at, below(count()));
    else if (kind < 17 && at > 0) add(body_.steps[static_cast<std::size_t>(at) - 1]);  // once more
    else {
      constexpr std::array literals{0.5, 2.0, -1.0, 3.0, 1.0, 0.0};
      constexpr std::array<std::pair<std::string_view, double>, 3> constants{{{"a", 2}, {"b", 1}, {"c", 0}}};
      if (chance(0.3)) {
        auto const [symbol, factor] = constants[static_cast<std::size_t>(below(3))];
        add({.is = step::kind::multiple, .a = at, .factor = factor, .symbol = symbol});
      } else {
        add({.is = step::kind::multiple, .a = at, .factor = literals[static_cast<std::size_t>(below(chance(0.1) ? 6 : 5))]});
      }
    }
  }

  static std::vector<operation_pointer> const& operations() {
    static std::vector<operation_pointer> const all{
        norm("N", op::layer_norm, true),
        norm("n", op::rms_norm, false),
        linear("W"),
        activation(op::tanh),
        activation(op::relu),
        activation(op::sigmoid),
        make({.is = operation::kind::scalar, .name = "alpha"}),
        make({.is = operation::kind::scalar, .name = "beta"}),
        make({.is = operation::kind::vector, .name = "g"}),
        make({.is = operation::kind::vector, .name = "g2"}),
        branch("F", {{applied(0, linear("W")), applied(1, activation(op::tanh))}, 2}),
        branch("G", {{applied(0, activation(op::sigmoid)), {.is = step::kind::add, .a = 0, .b = 1}}, 2}),
        branch(
            "H",
            {{applied(0, norm("N", op::rms_norm, true)), applied(0, linear("W")), {.is = step::kind::subtract, .a = 2, .b = 1}},
             3}),
        branch("same", {{}, 0}),
    };
    return all;
  }

  reference::noise source_;
  function body_;
};

/// The recorded function as a graph.
struct recorded {
  recorder into;
  std::vector<int> outputs;

  explicit recorded(function const& body) {
    auto const x = into.input(stream, "x", 0);
    outputs = {into.run(body, x, nullptr).at};
  }
  graph::graph_view view() const {
    auto const& h = into.history();
    return {"b", h.nodes(), h.scopes(), h.calls(), h.inputs(), outputs};
  }
};

/// d result / d stream of dual numbers, past what mixes features or couples tokens; norms pass `norms` of their derivative.
matrix<double> path(problem<double> const& p, double norms = 1) {
  using number = reference::dual<double, size>;
  auto moving = reference::converted<number>(p);
  for (std::size_t i = 0; i < size; ++i) moving.inputs[0][i].slope[i] = 1;
  auto const values = reference::evaluate(moving, [&](graph::node const& n, std::vector<number>& value) {
    double const kept = n.operation == op::linear ? 0 : n.operation == op::layer_norm || n.operation == op::rms_norm ? norms : 1;
    for (number& each : value)
      for (double& slope : each.slope) slope *= kept;
  });
  matrix<double> made(size, size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) made(i, j) = values[static_cast<std::size_t>(p.graph.output())][i].slope[j];
  return made;
}

double largest(matrix<double> const& m) {
  double most = 0;
  for (double each : m.data) most = std::max(most, std::abs(each));
  return most;
}
double difference(matrix<double> a, matrix<double> const& b) {
  for (std::size_t i = 0; i < a.data.size(); ++i) a.data[i] -= b.data[i];
  return largest(a) / std::max({1.0, largest(b)});
}
matrix<double> identity(double c) {
  matrix<double> made(size, size);
  for (std::size_t i = 0; i < size; ++i) made(i, i) = c;
  return made;
}
matrix<double> diagonal_of(matrix<double> const& m) {
  matrix<double> made(size, size);
  for (std::size_t i = 0; i < size; ++i) made(i, i) = m(i, i);
  return made;
}

constexpr double allowed = 1e-9;

/// Problems of equal parameters and other streams.
std::vector<problem<double>> points(graph::graph_view const& graph, std::uint64_t seed) {
  std::vector<problem<double>> made{reference::random_problem(graph, {}, seed)};
  for (std::uint64_t k = 1; k < 5; ++k) {
    made.push_back(made[0]);
    made.back().inputs[0] = reference::noise(seed * 7 + k).list(size);
  }
  return made;
}

/// What is wrong with a verdict; empty: nothing.
std::string wrong(calculus::identity_route_result const& verdict, std::vector<problem<double>> const& at) {
  auto same = [](matrix<double> const& a, matrix<double> const& b) { return difference(a, b) < allowed; };
  auto everywhere = [&](auto const& holds) { return std::ranges::all_of(at, holds); };
  switch (verdict.kind) {
    case route::absent:
      return everywhere([&](auto const& p) { return same(path(p), identity(0)); }) && verdict.coefficient == 0 ? "" : "not zero";
    case route::direct:
      return everywhere([&](auto const& p) { return same(path(p), identity(1)); }) && verdict.coefficient == 1 ? "" : "not I";
    case route::scaled:
      if (!same(path(at[0]), diagonal_of(path(at[0])))) return "no diagonal";
      return everywhere([&](auto const& p) { return same(path(p), path(at[0])); }) ? "" : "depends on x";
    case route::gated: return everywhere([&](auto const& p) { return same(path(p), diagonal_of(path(p))); }) ? "" : "no diagonal";
    case route::through: {
      if (same(path(at[0]), path(at[0], 0.5))) return "";  // counted by the caller
      // the derivative is a polynomial in what norms keep: its lowest power is the fewest norms on a way
      double const small = 1e-5;
      if (verdict.norms == 0) return same(path(at[0], 0), identity(0)) ? "norms on every way" : "";
      double const power = std::log2(largest(path(at[0], 2 * small)) / largest(path(at[0], small)));
      return std::abs(power - verdict.norms) < 0.01 ? "" : "not so many norms: " + std::to_string(power);
    }
  }
  return "no verdict";
}

}  // namespace

BOOST_AUTO_TEST_CASE(displayed_operators_and_verdicts_are_true) {
  std::map<route, int> verdicts;
  int idle_gates = 0;  // that are one diagonal at every point tried
  int empty_ways = 0;  // through norms, with the same derivative past them
  for (std::uint64_t number = 0; number < 6000; ++number) {
    recorded const block(author(number).write());
    graph::graph_view const graph = block.view();
    std::vector<problem<double>> const at = points(graph, number);
    graph::writer text;
    calculus::expression_text(graph).write_block(text);
    auto said = [&](calculus::detail_level level) {
      calculus::linear_operator const made = calculus::derive(graph, {.level = level});
      graph::writer out;
      calculus::operator_text(graph, made, calculus::notation::text).write(out, made.root);
      return std::string(out.view());
    };
    std::string const what = "block " + std::to_string(number) + ": " + std::string(text.view());
    oracle::operator_value const displayed(at[0]);
    matrix<double> const whole = reference::dense_jacobian(at[0]);
    for (auto level : {calculus::detail_level::branches, calculus::detail_level::parts}) {
      double const off = difference(displayed({.level = level}), whole);
      BOOST_TEST(off < allowed, what << "\n  " << said(level) << " is off by " << off);
    }
    calculus::identity_route_result const verdict = calculus::find_identity_route(graph);
    double const off = difference(displayed({.level = calculus::detail_level::route}), path(at[0]));
    BOOST_TEST(off < allowed, what << "\n  the path " << verdict.text() << " is off by " << off);
    std::string const mistake = wrong(verdict, at);
    BOOST_TEST(mistake.empty(),
               what << "\n  " << verdict.text() << ": " << mistake << "; path " << said(calculus::detail_level::route));
    ++verdicts[verdict.kind];
    auto still = [&](auto const& p) { return difference(path(p), path(at[0])) < allowed; };
    if (verdict.kind == route::gated && std::ranges::all_of(at, still)) {
      ++idle_gates;
      BOOST_TEST_MESSAGE("idle: " << what << "\n  " << verdict.text());
    }
    if (verdict.kind == route::through && difference(path(at[0], 0.5), path(at[0])) < allowed) {
      ++empty_ways;
      BOOST_TEST_MESSAGE("empty: " << what << "\n  " << verdict.text());
    }
  }
  for (auto const& [kind, count] : verdicts) BOOST_TEST(count > 60, calculus::name(kind) << ": " << count);
  BOOST_TEST(idle_gates < 30);
  BOOST_TEST(empty_ways < 10);
}
