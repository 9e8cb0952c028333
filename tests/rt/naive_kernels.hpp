// The kernels that the handwritten blocks call, as plain loops: what the engine does is tested apart from SIMD.
#pragma once

#include <residua/rt/kernels/functions.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

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
  static index attention_scratch_bytes(rt::attention_options const&) { return 1024 * static_cast<index>(sizeof(double)); }
  /// Of one head.
  static void attend(rt::attention_options const& a, rt::token_layout const& at, index first, in q, in k, in v, out o, out, void* memory) {
    auto* const weights = static_cast<double*>(memory);
    for (index i = 0; i < q.rows; ++i) {
      index const sequence = (first + i) / at.tokens, position = at.position + (first + i) % at.tokens;
      index const there = at.lengths ? std::min(at.lengths[sequence], at.keys) : at.keys;
      index const end = a.causal ? std::min(there, position + 1) : there;
      index const begin = a.window > 0 ? std::max<index>(0, position - a.window + 1) : 0;
      auto const row = [&](index j) { return sequence * at.key_rows + j % at.key_rows; };
      double sum = 0;
      for (index j = begin; j < end; ++j) {
        double s = 0;
        for (index c = 0; c < q.columns; ++c) s += double(q.row(i)[c]) * double(k.row(row(j))[c]);
        sum += weights[j - begin] = std::exp(a.scale * s);
      }
      for (index c = 0; c < o.columns; ++c) {
        double value = 0;
        for (index j = begin; j < end; ++j) value += weights[j - begin] / sum * double(v.row(row(j))[c]);
        o.row(i)[c] = static_cast<Real>(value);
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
    return t;
  }
};

template <class Real>
rt::functions<Real> const& naive_kernels(rt::instruction_set) {
  static rt::functions<Real> const table = naive<Real>::table();
  return table;
}

}  // namespace residua::test
