// Attention's displayed Jacobians, evaluated from the closed forms, against dual numbers; and the interpreter itself against
// what must hold of any attention.
#define BOOST_TEST_MODULE oracle_attention
#include "../numeric/attention_blocks.hpp"
#include "../numeric/heads_blocks.hpp"
#include "displayed.hpp"

namespace oracle = residua::oracle;

namespace {
oracle::extents const lengths{{"B", 2}, {"T", 5}, {"S", 3}, {"r", 6}};
}

BOOST_AUTO_TEST_CASE(displayed_jacobians_are_the_derivatives) {
  using namespace attention_blocks;
  for (auto const& graph : {pre_norm.view(), post_norm.view(), parallel.view(), grouped.view(), capped.view(), local.view(),
                            decoder.view(), aligned.view(), attention_blocks::layers.view(), decoders.view(), shared.view()})
    oracle::check_displayed(graph, lengths);
}

BOOST_AUTO_TEST_CASE(attention_by_its_parts_displays_its_derivatives) {
  using namespace heads_blocks;
  for (auto const& graph : {sub_norm.view(), gated.view(), keys_are_values.view(), value_norm.view(), simplified.view(),
                            bare.view(), differential.view(), value_residual.view(), gain_after.view(), across.view(),
                            packed_gate.view(), beside.view(), reversible.view(), overlapping.view(), packed_memory.view()})
    oracle::check_displayed(graph, lengths);
}

BOOST_AUTO_TEST_CASE(a_causal_block_couples_no_token_to_a_later_one) {
  oracle::problem<double> const p = oracle::random_problem(attention_blocks::layers.view(), lengths, 1);
  oracle::matrix<double> const j = oracle::dense_jacobian(p);
  std::size_t const width = 12, tokens = 5;
  bool coupled = false;
  for (std::size_t i = 0; i < j.rows; ++i)
    for (std::size_t k = 0; k < j.columns; ++k) {
      std::size_t const to = i / width, from = k / width;
      bool const may = to / tokens == from / tokens && from <= to;
      if (!may) BOOST_TEST(j(i, k) == 0.0);
      else if (from < to) coupled = coupled || j(i, k) != 0;
    }
  BOOST_TEST(coupled);
}

BOOST_AUTO_TEST_CASE(tokens_without_keys_get_zeros) {
  oracle::problem<double> p = oracle::random_problem(attention_blocks::local.view(), lengths, 1);
  p.key_lengths = {0, 5};
  std::vector<double> const y = oracle::output(p);  // x + A(x)
  for (std::size_t i = 0; i < 5 * 12; ++i) BOOST_TEST(y[i] == p.x[i]);
}

BOOST_AUTO_TEST_CASE(alibi_slopes_of_powers_of_two_and_between) {
  BOOST_TEST(oracle::alibi_slope(0, 8) == 0.5);
  BOOST_TEST(oracle::alibi_slope(7, 8) == 1.0 / 256);
  std::vector<double> twelve;  // eight of 8 heads, then every second of 16 (Press et al., get_slopes)
  for (std::int64_t head = 0; head < 12; ++head) twelve.push_back(oracle::alibi_slope(head, 12));
  BOOST_TEST(twelve[7] == 1.0 / 256);
  BOOST_TEST(std::abs(twelve[8] - std::pow(2.0, -0.5)) < 1e-15);
  BOOST_TEST(std::abs(twelve[9] - std::pow(2.0, -1.5)) < 1e-15);
}
