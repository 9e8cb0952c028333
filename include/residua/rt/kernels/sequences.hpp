// What every token of a sequence shares: one row for each sequence, repeated and summed.
#pragma once

#include <residua/rt/core/sequences.hpp>
#include <residua/rt/kernels/elementwise.hpp>

namespace residua::rt {

/// y(i, :) = c(s, :), s the sequence of token `first` + i.  c: (sequences, n), y: (m, n)
template <class Arch, class Real>
void repeat_sequences(token_layout const& tokens, index first, matrix<Real const> c, matrix<Real> y) {
  for (index i = 0; i < y.rows; ++i) rt::copy<Arch, Real>(c.rows_from((first + i) / tokens.tokens, 1), y.rows_from(i, 1));
}

/// y(s, :) = the sum of g over the tokens of sequence `first` + s, in their order.  g: of all tokens, y: (m, n)
template <class Arch, class Real>
void sum_sequences(token_layout const& tokens, index first, matrix<Real const> g, matrix<Real> y) {
  rt::zero<Arch, Real>(y);
  for (index s = 0; s < y.rows; ++s)
    for (index t = 0; t < tokens.tokens; ++t)
      rt::accumulate<Arch, Real>(g.rows_from((first + s) * tokens.tokens + t, 1), y.rows_from(s, 1));
}

}  // namespace residua::rt
