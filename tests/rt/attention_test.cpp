// Attention, its tangent and its gradient against the formulas with explicit masks in double: a mask off by one, a block
// skipped or met twice, sums that belong to another maximum, a head with the keys of another, a tile cut at the wrong token,
// overflow, NaN that passes a mask, writes beyond the rows or the scratch.
#define BOOST_TEST_MODULE rt_attention
#include "attention_reference.hpp"

namespace residua::test {

template <class Real>
double inner(guarded<Real> const& a, guarded<Real> const& b) {
  double sum = 0;
  for (index i = 0; i < a.rows(); ++i)
    for (index j = 0; j < a.columns(); ++j) sum += static_cast<double>(a.at(i, j)) * static_cast<double>(b.at(i, j));
  return sum;
}

template <class Real>
void check(shape const& s, std::vector<index> const& cuts = {84}, double tolerance = 64) {
  problem<Real> const clean(s);
  reference const expected(clean);
  for (auto const& kernels : kernel_tables<Real>())
    for (index cut : cuts) {
      problem<Real> p = clean;
      p.run(kernels, cut);
      std::string const where = std::string(name(kernels.set)) + " cut " + std::to_string(cut) + ", " + describe(s);
      expected.check(p, tolerance, where);
      if (p.ring()) continue;
      double const left = inner(p.d_o, p.go), right = inner(p.gq, p.dq) + inner(p.gk, p.dk) + inner(p.gv, p.dv);
      double const size = std::sqrt(inner(p.d_o, p.d_o) * inner(p.go, p.go)) + 1;
      BOOST_TEST(std::abs(left - right) <= 8 * tolerance * epsilon_of<Real> * size,
                 "adjoint: " << left << ", " << right << " " << where);
    }
}

/// Self-attention of whole sequences.
shape whole(rt::attention_options const& options, index sequences, index tokens, std::vector<index> const& lengths = {}) {
  return {options, sequences, {.tokens = tokens, .keys = tokens, .key_rows = tokens}, lengths, 1.5};
}

BOOST_AUTO_TEST_CASE_TEMPLATE(masks_and_extents, Real, scalars) {
  for (index tokens : {1, 7, 33, 84, 85, 170})
    for (bool causal : {true, false})
      for (index window : {0, 1, 2, 9, 40}) {
        rt::attention_options const options{
            .heads = 2, .kv_heads = 1, .head_width = 8, .scale = 0.5, .causal = causal, .window = window};
        index const sequences = tokens < 84 ? 3 : 2;
        check<Real>(whole(options, sequences, tokens), {84, 5});
      }
}

/// A window wider than any sequence is none, whatever the position: no sum with it overflows.
BOOST_AUTO_TEST_CASE_TEMPLATE(widest_window, Real, scalars) {
  for (bool causal : {true, false})
    for (index window : {std::numeric_limits<index>::max(), std::numeric_limits<index>::max() - 1}) {
      rt::attention_options const options{
          .heads = 2, .kv_heads = 1, .head_width = 8, .scale = 0.5, .causal = causal, .window = window};
      check<Real>(whole(options, 2, 40));
      check<Real>({options, 2, {.tokens = 3, .keys = 33, .key_rows = 33, .position = 30}, {}});
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(several_blocks, Real, scalars) {
  for (bool causal : {true, false})
    for (index window : {0, 230}) {
      rt::attention_options const options{
          .heads = 2, .kv_heads = 1, .head_width = 8, .scale = 0.5, .causal = causal, .window = window};
      check<Real>(whole(options, 1, 400), {84, 50});
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(heads_and_widths, Real, scalars) {
  index const shapes[][3] = {{1, 1, 1},  {2, 1, 5},   {4, 2, 64},  {3, 3, 8}, {6, 2, 16},
                             {2, 2, 33}, {1, 1, 128}, {2, 1, 256}, {40, 1, 4}};
  for (auto const& [heads, kv_heads, width] : shapes)
    for (index tokens : {1, 3, 33, 150}) {
      rt::attention_options const options{.heads = heads,
                                          .kv_heads = kv_heads,
                                          .head_width = width,
                                          .scale = 1 / std::sqrt(static_cast<double>(width)),
                                          .causal = true};
      check<Real>(whole(options, 2, tokens), {17});
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(rules_of_scores, Real, scalars) {
  for (bool causal : {true, false})
    for (double cap : {0.0, 2.0})
      for (bool alibi : {true, false})
        for (index heads : {1, 4, 6}) {
          rt::attention_options const options{.heads = heads,
                                              .kv_heads = heads == 6 ? 2 : 1,
                                              .head_width = 8,
                                              .scale = 1,
                                              .softcap = cap,
                                              .causal = causal,
                                              .window = heads == 4 ? 11 : 0,
                                              .alibi = alibi};
          check<Real>(whole(options, 1, 150), {84});
          check<Real>(whole(options, 9, 2), {5});
        }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lengths_of_sequences, Real, scalars) {
  for (bool causal : {true, false})
    for (index window : {0, 7}) {
      rt::attention_options const options{
          .heads = 4, .kv_heads = 2, .head_width = 8, .scale = 0.5, .causal = causal, .window = window};
      check<Real>(whole(options, 5, 7, {7, 0, 3, 1, 6}), {84, 4});
      check<Real>(whole(options, 3, 90, {0, 90, 41}), {84, 30});
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(other_keys_than_tokens, Real, scalars) {
  rt::attention_options const full{.heads = 4, .kv_heads = 2, .head_width = 8, .scale = 0.5};
  for (index tokens : {1, 7, 100})
    for (index position : {0, 5, 130})
      for (bool causal : {true, false})
        for (index window : {0, 13}) {
          rt::attention_options options = full;
          options.causal = causal;
          options.window = window;
          index const keys = position + tokens;
          check<Real>({options, 2, {.tokens = tokens, .keys = keys, .key_rows = keys, .position = position}, {}}, {84, 3});
          check<Real>({options, 2, {.tokens = tokens, .keys = keys, .key_rows = keys + 9, .position = position}, {}}, {84, 3});
        }
  check<Real>({full, 3, {.tokens = 10, .keys = 170, .key_rows = 170}, {170, 0, 130}});
  check<Real>({full, 3, {.tokens = 170, .keys = 10, .key_rows = 10}, {10, 0, 4}});
}

BOOST_AUTO_TEST_CASE_TEMPLATE(ring_of_keys, Real, scalars) {
  for (index tokens : {1, 4, 90})
    for (index rows : {tokens + 8, tokens + 40, tokens + 150})
      for (index position : {0, 9, 150, 1000}) {
        rt::attention_options const options{
            .heads = 4, .kv_heads = 2, .head_width = 8, .scale = 0.5, .causal = true, .window = 9};
        check<Real>({options, 2, {.tokens = tokens, .keys = position + tokens, .key_rows = rows, .position = position}, {}},
                    {84, 3});
      }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(large_scores, Real, scalars) {
  for (bool causal : {true, false}) {
    rt::attention_options const options{.heads = 2, .kv_heads = 1, .head_width = 16, .scale = 1, .causal = causal};
    shape s = whole(options, 1, 150);
    s.size = 40;
    problem<Real> const clean(s);
    reference const expected(clean);
    for (auto const& kernels : kernel_tables<Real>()) {
      problem<Real> p = clean;
      p.run(kernels, 84);
      worst w;
      expected.compare_sums(w, p, 64 * epsilon_of<Real>);
      reference::compare(w, "o", p.o, expected.o, 1e4 * epsilon_of<Real>);  // scores are rounded at their size
      reference::compare(w, "gv", p.gv, expected.gv, 1e4 * epsilon_of<Real>);
      RESIDUA_CHECK_WORST(w, name(kernels.set));
      for (auto const* m : {&p.o, &p.d_o, &p.gq, &p.gk, &p.gv})
        for (index i = 0; i < m->rows(); ++i) BOOST_TEST(!has_nan(*m, i));
    }
  }
}

/// Scores near 2^13 .. 2^40, exact in Real: the gradients are those of small scores, to the last digits.
BOOST_AUTO_TEST_CASE_TEMPLATE(gradients_at_large_scores, Real, scalars) {
  for (int power : {13, 17, 21, 25, 40})
    for (bool equal : {true, false}) {
      rt::attention_options const options{.heads = 1, .kv_heads = 1, .head_width = 4, .scale = 1};
      problem<Real> clean(whole(options, 1, 4));
      double const query = std::ldexp(1.0, power / 2), key = std::ldexp(1.0, power - power / 2);
      for (index i = 0; i < 4; ++i)
        for (index c = 0; c < 4; ++c) {
          double const beside = c == 1 && !equal && power < 20 ? static_cast<double>(i) / 4 : 0;
          clean.q.at(i, c) = static_cast<Real>(c == 0 ? query : 2 * beside);
          clean.k.at(i, c) = static_cast<Real>(c == 0 ? key : beside);
        }
      reference const expected(clean);
      for (auto const& kernels : kernel_tables<Real>()) {
        problem<Real> p = clean;
        p.run(kernels, 84);
        worst w;
        double const tolerance = 64 * epsilon_of<Real>;
        reference::compare(w, "o", p.o, expected.o, tolerance);
        reference::compare(w, "gv", p.gv, expected.gv, tolerance);
        reference::compare(w, "gq", p.gq, expected.gq, tolerance * key);  // sums of keys whose factors cancel
        reference::compare(w, "gk", p.gk, expected.gk, tolerance * query);
        RESIDUA_CHECK_WORST(w, name(kernels.set) << " power " << power << " equal " << equal);
      }
    }
}

/// Dot products that Real does not hold, of which the scale makes scores that it does.
BOOST_AUTO_TEST_CASE_TEMPLATE(products_larger_than_their_scores, Real, scalars) {
  for (double scale : {0.125, 0.1}) {
    rt::attention_options const options{.heads = 1, .kv_heads = 1, .head_width = 1, .scale = scale};
    Real const large = std::numeric_limits<Real>::max(), root = std::sqrt(large);
    for (auto const& kernels : kernel_tables<Real>()) {
      problem<Real> p(whole(options, 1, 3));
      for (index i = 0; i < 3; ++i) p.q.at(i, 0) = Real(2) * root, p.k.at(i, 0) = root;
      p.k.at(2, 0) = Real(1.5) * root;  // products of 2 and 3 times the largest number
      p.run(kernels, 84);
      for (index i = 0; i < 3; ++i) {
        BOOST_TEST(p.o.at(i, 0) == p.v.at(2, 0), name(kernels.set) << " scale " << scale);
        BOOST_TEST(p.sums.at(i, 0) < large);
        BOOST_TEST((p.gq.at(i, 0) == 0 && p.gk.at(i, 0) == 0));
        BOOST_TEST(p.gv.at(i, 0) == (i == 2 ? p.go.at(0, 0) + p.go.at(1, 0) + p.go.at(2, 0) : Real(0)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nothing_to_see_gives_zero, Real, scalars) {
  rt::attention_options const options{.heads = 2, .kv_heads = 2, .head_width = 5, .scale = 1, .window = 4};
  shape const s = whole(options, 2, 20, {0, 10});
  for (auto const& kernels : kernel_tables<Real>()) {
    problem<Real> p(s);
    p.run(kernels, 84);
    for (index row : {0, 19, 33, 39})
      for (index c = 0; c < p.wide(); ++c) {
        BOOST_TEST((p.o.at(row, c) == 0 && p.d_o.at(row, c) == 0 && p.gq.at(row, c) == 0));
        BOOST_TEST(p.sums.at(row, c / 5) == -std::numeric_limits<Real>::infinity());
        BOOST_TEST(p.sums.at(row, 2 + c / 5) == 0);
        BOOST_TEST((p.gk.at(row, c) == 0 && p.gv.at(row, c) == 0));
      }
    rt::aligned_buffer<std::byte> memory(kernels.attention_scratch_bytes(options));
    kernels.attend(options, s.layout, 3, p.q.view().rows_from(3, 0), p.k.view(), p.v.view(), p.o.view().rows_from(3, 0), {},
                   memory.data());
    guarded<Real> o(20, p.wide());
    rt::token_layout const whole_length = s.layout;
    kernels.attend(options, whole_length, 0, p.q.view().rows_from(0, 20), p.k.view(), p.v.view(), o.view(), {}, memory.data());
    BOOST_TEST(std::isfinite(o.at(19, 0)));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nan_stays_behind_the_mask, Real, scalars) {
  struct poison {
    index row;
    guarded<Real> problem<Real>::* matrix;
  };
  std::vector<poison> const poisons{{30, &problem<Real>::k},  {31, &problem<Real>::v},  {100, &problem<Real>::k},
                                    {101, &problem<Real>::v}, {60, &problem<Real>::dk}, {140, &problem<Real>::dv},
                                    {29, &problem<Real>::q},  {77, &problem<Real>::go}, {149, &problem<Real>::dq}};
  for (bool causal : {true, false})
    for (index window : {0, 12})
      for (poison const& one : poisons)
        for (double value : {nan, std::numeric_limits<double>::infinity()}) {
          rt::attention_options const options{
              .heads = 2, .kv_heads = 1, .head_width = 8, .scale = 0.5, .causal = causal, .window = window};
          problem<Real> clean(whole(options, 1, 150, {120}));
          (clean.*one.matrix).at(one.row, 3) = static_cast<Real>(value);
          reference const expected(clean);
          for (auto const& kernels : kernel_tables<Real>()) {
            problem<Real> p = clean;
            p.run(kernels, 84);
            // Which elements are finite, and their values; NaN and infinity are one.
            worst w;
            auto const compare = [&](std::string const& what, guarded<Real> const& actual, std::vector<double> const& wanted) {
              for (index i = 0; i < actual.rows(); ++i)
                for (index j = 0; j < actual.columns(); ++j) {
                  double const a = static_cast<double>(actual.at(i, j)),
                               b = wanted[static_cast<std::size_t>(i * actual.columns() + j)];
                  w.compare(std::isfinite(a) ? a : nan, std::isfinite(b) ? b : nan, 200 * epsilon_of<Real>, what + place(i, j));
                }
            };
            compare("o", p.o, expected.o);
            compare("d_o", p.d_o, expected.d_o);
            compare("gq", p.gq, expected.gq);
            compare("gk", p.gk, expected.gk);
            compare("gv", p.gv, expected.gv);
            RESIDUA_CHECK_WORST(w, name(kernels.set) << " poisoned row " << one.row << " causal " << causal << " window "
                                                     << window << " value " << value);
          }
        }
}

}  // namespace residua::test
