#pragma once
// The Jacobians that a block displays, evaluated, against the derivatives of what it computes.
#include <boost/test/unit_test.hpp>
#include <residua/dsl.hpp>

#include "operator_value.hpp"

namespace residua::oracle {

using namespace reference;

/// Largest |a - b| in units of the largest |b|, at least 1e-3 so that zeros compare.
inline double distance(std::vector<double> const& a, std::vector<double> const& b) {
  BOOST_REQUIRE_EQUAL(a.size(), b.size());
  double most = 0, size = 1e-3;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::isfinite(a[i] - b[i]) ? std::abs(a[i] - b[i]) : 1e300);
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

inline std::string displayed_text(graph_view const& graph, calculus::derivative_request const& request) {
  calculus::linear_operator const made = calculus::derive(graph, request);
  graph::writer out;
  calculus::operator_text(graph, made, calculus::notation::text).write(out, made.root);
  return std::string(out.view());
}

/// The rows of a matrix that are one result's.
inline std::vector<double> rows_of(matrix<double> const& all, extents const& lengths, graph_view const& graph,
                                   std::size_t result) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < result; ++k) first += size_of(lengths, graph.result(k).shape);
  auto const at = [&](std::size_t row) { return all.data.begin() + static_cast<std::ptrdiff_t>(row * all.columns); };
  return {at(first), at(first + size_of(lengths, graph.result(result).shape))};
}

/// By every input and parameter, with branches as factors and with every part written out; and each branch alone.
inline void check_displayed(graph_view const& graph, extents const& lengths, double allowed = 1e-11) {
  for (std::uint64_t seed : {1u, 2u}) {
    problem<double> const p = random_problem(graph, lengths, seed);
    operator_value const displayed(p);
    for (auto level : {calculus::detail_level::branches, calculus::detail_level::parts}) {
      std::string const where = std::string(graph.name) + (level == calculus::detail_level::parts ? ", parts" : ", branches");
      auto check = [&](calculus::derivative_request request, std::string_view by) {
        matrix<double> const dense = dense_jacobian(p, by);
        for (request.output = 0; request.output < graph.outputs.size(); ++request.output) {
          double const off = distance(displayed(request).data, rows_of(dense, p.lengths, graph, request.output));
          BOOST_TEST(off < allowed, where << ", result " << request.output << " by " << (by == by_stream ? "x" : by) << ": "
                                          << displayed_text(graph, request) << " is off by " << off);
        }
      };
      for (std::size_t k = 0; k < graph.inputs.size(); ++k) check({.input = k, .level = level}, by_input(k));
      for (parameter_shape const& each : parameter_shapes(graph))
        check({.of_stream = false, .wrt = each.which, .level = level}, each.path);
    }
    for (std::size_t c = 0; c < graph.calls.size(); ++c) {  // J_F as `expanded` prints it, in both levels of detail
      for (std::size_t input : {0u, 1u}) {
        if (input == 1 && graph.calls[c].memory < 0) continue;
        auto inside = [&](calculus::detail_level level) {
          return displayed({.input = input, .level = level, .inside = static_cast<int>(c)}).data;
        };
        double const off = distance(inside(calculus::detail_level::branches), inside(calculus::detail_level::parts));
        BOOST_TEST(off < allowed, graph.name << ", call " << c << ": off by " << off);
      }
    }
  }
}

/// What a static_assert on a block sees is what the program sees: hashes of the Jacobian and the route as text.
template <class Block>
void check_constant(Block) {
  constexpr auto jacobian_hash = [] { return dsl::hash(jacobian(Block{}).text().view()); };
  constexpr auto route_hash = [] { return dsl::hash(identity_route(Block{}).text().view()); };
  constexpr std::uint32_t jacobian_constant = jacobian_hash();
  constexpr std::uint32_t route_constant = route_hash();
  BOOST_TEST(jacobian_constant == jacobian_hash(), Block::name << ": the Jacobian's text differs in constant evaluation");
  BOOST_TEST(route_constant == route_hash(), Block::name << ": the route's text differs in constant evaluation");
}

}  // namespace residua::oracle
