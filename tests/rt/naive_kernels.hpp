// The kernels that the handwritten blocks call, as plain loops: what the engine does is tested apart from SIMD.
#pragma once

#include <residua/rt/kernels/functions.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace residua::test {

using rt::index;

template <class Real>
struct naive {
  using in = rt::matrix<Real const>;
  using out = rt::matrix<Real>;

  static Real weight(rt::packed_view<Real> const& w, index p, index j) {
    return w.panel_data(j / rt::panel<Real> * rt::panel<Real>)[p * rt::panel<Real> + j % rt::panel<Real>];
  }

  static void multiply(in x, rt::packed_view<Real> w, out y, rt::epilogue<Real>) {
    for (index i = 0; i < x.rows; ++i)
      for (index j = 0; j < w.columns; ++j) {
        Real sum = 0;
        for (index p = 0; p < w.rows; ++p) sum += x.row(i)[p] * weight(w, p, j);
        y.row(i)[j] = sum;
      }
  }
  static void accumulate_outer(in x, in g, out gw, index first, index last) {
    for (index i = 0; i < x.rows; ++i)
      for (index p = first; p < last; ++p)
        for (index j = 0; j < g.columns; ++j) gw.row(p)[j] += x.row(i)[p] * g.row(i)[j];
  }
  static void accumulate_column_sums(in g, Real* gb) {
    for (index i = 0; i < g.rows; ++i)
      for (index j = 0; j < g.columns; ++j) gb[j] += g.row(i)[j];
  }
  static void accumulate(in x, out y) {
    for (index i = 0; i < x.rows; ++i)
      for (index j = 0; j < x.columns; ++j) y.row(i)[j] += x.row(i)[j];
  }
  static void add(in a, in b, out y) {
    for (index i = 0; i < a.rows; ++i)
      for (index j = 0; j < a.columns; ++j) y.row(i)[j] = a.row(i)[j] + b.row(i)[j];
  }
  static index attention_scratch_bytes(rt::attention_options const&) { return 64; }

  // Attention of one head. p_ij = exp(c q_i k_j) / sum_j of the keys that query i sees, o_i = sum_j p_ij v_j.

  using row = std::array<double, 256>;  // one number for each key; no memory is taken, as kernels take none

  /// The weights of one query among the keys of its sequence, 0 for those that it does not see.
  static row weights(rt::attention_options const& a, rt::token_layout const& at, index query, Real const* q, in k) {
    index const sequence = query / at.tokens, position = at.position + query % at.tokens;
    index const there = at.lengths ? at.lengths[sequence] : at.keys;
    row p{};
    double sum = 0;
    for (index j = 0; j < there; ++j) {
      if ((a.causal && j > position) || (a.window > 0 && position - j >= a.window)) continue;
      double score = 0;
      for (index c = 0; c < k.columns; ++c) score += double(q[c]) * double(k.row(row_of(at, sequence, j))[c]);
      sum += p[std::size_t(j)] = std::exp(a.scale * score);
    }
    for (double& each : p) each = sum > 0 ? each / sum : 0;
    return p;
  }
  static index row_of(rt::token_layout const& at, index sequence, index key) {
    return sequence * at.key_rows + key % at.key_rows;
  }
  static double dot(Real const* a, Real const* b, index count) {
    double sum = 0;
    for (index c = 0; c < count; ++c) sum += double(a[c]) * double(b[c]);
    return sum;
  }

  static void attend(rt::attention_options const& a, rt::token_layout const& at, index first, in q, in k, in v, out o, out,
                     void*) {
    for (index i = 0; i < q.rows; ++i) {
      row const p = weights(a, at, first + i, q.row(i), k);
      for (index c = 0; c < o.columns; ++c) {
        double sum = 0;
        for (index j = 0; j < at.keys; ++j)
          if (p[std::size_t(j)] > 0) sum += p[std::size_t(j)] * double(v.row(row_of(at, (first + i) / at.tokens, j))[c]);
        o.row(i)[c] = static_cast<Real>(sum);
      }
    }
  }
  static void attend_jvp(rt::attention_options const& a, rt::token_layout const& at, index first, in q, in k, in v, in dq, in dk,
                         in dv, out o, out d_o, void* memory) {
    attend(a, at, first, q, k, v, o, {}, memory);
    for (index i = 0; i < q.rows; ++i) {
      row const p = weights(a, at, first + i, q.row(i), k);
      row ds{};
      double mean = 0;
      for (index j = 0; j < at.keys; ++j) {
        index const r = row_of(at, (first + i) / at.tokens, j);
        ds[std::size_t(j)] = a.scale * (dot(dq.row(i), k.row(r), k.columns) + dot(q.row(i), dk.row(r), k.columns));
        mean += p[std::size_t(j)] * ds[std::size_t(j)];
      }
      for (index c = 0; c < o.columns; ++c) {
        double sum = 0;
        for (index j = 0; j < at.keys; ++j) {
          index const r = row_of(at, (first + i) / at.tokens, j);
          sum += p[std::size_t(j)] * ((ds[std::size_t(j)] - mean) * double(v.row(r)[c]) + double(dv.row(r)[c]));
        }
        d_o.row(i)[c] = static_cast<Real>(sum);
      }
    }
  }
  /// Cotangents of the scores of one query: p_ij (<go_i, v_j> - <go_i, o_i>).
  static row score_cotangents(rt::token_layout const& at, index query, row const& p, Real const* go, in v) {
    row gs{};
    double mean = 0;
    for (index j = 0; j < at.keys; ++j) {
      gs[std::size_t(j)] = dot(go, v.row(row_of(at, query / at.tokens, j)), v.columns);
      mean += p[std::size_t(j)] * gs[std::size_t(j)];
    }
    for (std::size_t j = 0; j < gs.size(); ++j) gs[j] = p[j] * (gs[j] - mean);
    return gs;
  }
  static void attend_vjp_queries(rt::attention_options const& a, rt::token_layout const& at, index first, in q, in k, in v, in,
                                 in, in go, out gq, void*) {
    for (index i = 0; i < q.rows; ++i) {
      row const gs = score_cotangents(at, first + i, weights(a, at, first + i, q.row(i), k), go.row(i), v);
      for (index c = 0; c < gq.columns; ++c) {
        double sum = 0;
        for (index j = 0; j < at.keys; ++j)
          sum += a.scale * gs[std::size_t(j)] * double(k.row(row_of(at, (first + i) / at.tokens, j))[c]);
        gq.row(i)[c] = static_cast<Real>(sum);
      }
    }
  }
  /// k and v: of all tokens, unlike the kernels', which read those of the tile.
  static void key_gradients(rt::attention_options const& a, rt::token_layout const& at, index first, in k, in v, in q, in go,
                            out gk, out gv) {
    for (index r = 0; r < gk.rows; ++r) {
      index const sequence = (first + r) / at.keys, j = (first + r) % at.keys;
      std::fill_n(gk.row(r), gk.columns, Real(0));
      std::fill_n(gv.row(r), gv.columns, Real(0));
      for (index i = sequence * at.tokens; i < (sequence + 1) * at.tokens; ++i) {
        row const p = weights(a, at, i, q.row(i), k);
        double const gs = score_cotangents(at, i, p, go.row(i), v)[std::size_t(j)];
        for (index c = 0; c < gk.columns; ++c) gk.row(r)[c] += static_cast<Real>(a.scale * gs * double(q.row(i)[c]));
        for (index c = 0; c < gv.columns; ++c) gv.row(r)[c] += static_cast<Real>(p[std::size_t(j)] * double(go.row(i)[c]));
      }
    }
  }

  static rt::functions<Real> table() {
    rt::functions<Real> t{};
    t.set = rt::instruction_set::baseline;
    t.lanes = 1;
    t.multiply = &multiply;
    t.accumulate_outer = &accumulate_outer;
    t.accumulate_column_sums = &accumulate_column_sums;
    t.accumulate = &accumulate;
    t.add = &add;
    t.attention_scratch_bytes = &attention_scratch_bytes;
    t.attend = &attend;
    t.attend_jvp = &attend_jvp;
    t.attend_vjp_queries = &attend_vjp_queries;
    return t;
  }
};

template <class Real>
rt::functions<Real> const& naive_kernels(rt::instruction_set) {
  static rt::functions<Real> const table = naive<Real>::table();
  return table;
}

}  // namespace residua::test
