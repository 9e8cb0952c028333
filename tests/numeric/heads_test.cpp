// Attention by its parts, on the runner and in two generated kernels, against the interpreter: values, tangents and gradients of
// what attends without projections, turns heads and divides or joins features, on every instruction set. Catches a lowering that
// takes for granted what `attention` always had: projections around the softmax, keys of their own, one reader.
#define BOOST_TEST_MODULE heads
#include "heads_blocks.hpp"
#include "runner_calls.hpp"

#include <boost/test/unit_test.hpp>
#include <heads/keys_are_values.hpp>
#include <heads/overlapping.hpp>

namespace oracle = residua::oracle;

namespace {
void check(residua::graph::graph_view const& graph, oracle::call_setting const& setting = {}) {
  for (std::vector<std::size_t> const& shape : {std::vector<std::size_t>{2, 1, 12}, {2, 6, 12}})
    oracle::check_by_runner(graph, {}, shape, 3, shape[1] == 6, setting);
}
}  // namespace

BOOST_AUTO_TEST_CASE(heads_between_projections) {
  using namespace heads_blocks;
  for (auto const& graph : {sub_norm.view(), gated.view(), keys_are_values.view(), value_norm.view(), simplified.view(),
                            bare.view(), differential.view(), value_residual.view(), gain_after.view()})
    check(graph);
}

BOOST_AUTO_TEST_CASE(keys_and_values_of_a_memory) {
  for (auto const& graph : {heads_blocks::across.view(), heads_blocks::packed_memory.view()})
    check(graph, {.others = {{"S", 5}}});
}

BOOST_AUTO_TEST_CASE(features_apart_and_together) {
  using namespace heads_blocks;
  for (auto const& graph : {packed_gate.view(), beside.view(), reversible.view(), overlapping.view()}) check(graph);
}

BOOST_AUTO_TEST_CASE(generated_kernels) {
  std::array<std::size_t, 3> const shape{2, 6, 12};
  oracle::check_block<heads::keys_are_values::kernel<double>>(heads_blocks::keys_are_values.view(),
                                                              heads::keys_are_values::parameters<double>{}, shape, 5);
  oracle::check_block<heads::overlapping::kernel<double>>(heads_blocks::overlapping.view(),
                                                          heads::overlapping::parameters<double>{}, shape, 5);
}
