// What the attention kernels share: masks as intervals, blocks of rows packed for the products, rules on scores.
// A mask lets every row see one interval of columns. Rows are queries and columns keys, except in the gradient of the keys.
#pragma once

#include <residua/rt/arena.hpp>
#include <residua/rt/attention_options.hpp>
#include <residua/rt/math.hpp>
#include <residua/rt/matrix.hpp>
#include <residua/rt/multiply.hpp>
#include <residua/rt/pack.hpp>
#include <residua/rt/simd.hpp>
#include <residua/rt/tile_loop.hpp>

#include <cmath>

namespace residua::rt::detail {

[[gnu::always_inline]] inline index smaller(index a, index b) { return b < a ? b : a; }
[[gnu::always_inline]] inline index larger(index a, index b) { return b > a ? b : a; }

/// [first, last), empty where last <= first.
struct interval {
  index first;
  index last;
  [[gnu::always_inline]] bool empty() const { return last <= first; }
  [[gnu::always_inline]] index size() const { return last - first; }
};

[[gnu::always_inline]] inline index valid_keys(token_layout const& layout, index sequence) {
  return layout.lengths ? smaller(layout.lengths[sequence], layout.keys) : layout.keys;
}

/// The keys that a token of the sequence may see.
[[gnu::always_inline]] inline interval allowed_keys(attention_options const& options, token_layout const& layout, index sequence,
                                                    index token) {
  index const at = layout.position + token;
  index const reach = options.causal ? options.window - 1 : options.window / 2;
  interval keys{larger(0, layout.keys - layout.key_rows), valid_keys(layout, sequence)};
  if (options.window) keys = {larger(keys.first, at - reach), smaller(keys.last, at + reach + 1)};
  if (options.causal) keys.last = smaller(keys.last, at + 1);
  return keys;
}

/// The tokens of the sequence that may see a key.
[[gnu::always_inline]] inline interval allowed_tokens(attention_options const& options, token_layout const& layout,
                                                      index sequence, index key) {
  index const at = key - layout.position;
  index const reach = options.causal ? options.window - 1 : options.window / 2;
  interval tokens{0, key < valid_keys(layout, sequence) ? layout.tokens : 0};
  if (options.window) tokens = {larger(0, at - reach), smaller(tokens.last, at + reach + 1)};
  if (options.causal) tokens.first = larger(tokens.first, at);
  return tokens;
}

/// Columns of a block: its packed rows and the scores against it stay in L2.
inline constexpr index block_columns = 128;

/// Columns of a block at the edge of the mask, where a part of the rows only has work.
inline constexpr index edge_columns = 32;

/// What the consecutive rows of one sequence may see; the bounds of the intervals never decrease.
struct mask {
  index rows = 0;
  interval columns{0, 0};  // that any row may see
  interval allowed[tile_rows];

  [[gnu::always_inline]] void add(interval const& seen) {
    allowed[rows++] = seen;
    if (seen.empty()) return;
    columns.first = columns.empty() ? seen.first : smaller(columns.first, seen.first);
    columns.last = larger(columns.last, seen.last);
  }

  /// Where the block ends that starts at `from`.
  [[gnu::always_inline]] index block_end(index from) const {
    index const end = smaller(from + block_columns, columns.last);
    if (rows <= edge_columns / 2) return end;
    index const edge = smaller(from + edge_columns, end);
    if (from < allowed[rows - 1].first) return edge;
    if (end <= allowed[0].last) return end;
    index const seen_by_all = (allowed[0].last - from) / edge_columns * edge_columns;
    return seen_by_all > 0 ? from + seen_by_all : edge;
  }

  /// The rows from the first to the last one that may see a column of the block.
  [[gnu::always_inline]] interval rows_of(interval const& block) const {
    auto const unseen = [&](index i) __attribute__((always_inline)) {
      return allowed[i].empty() || allowed[i].last <= block.first || block.last <= allowed[i].first;
    };
    interval some{0, rows};
    while (!some.empty() && unseen(some.first)) ++some.first;
    while (!some.empty() && unseen(some.last - 1)) --some.last;
    return some;
  }

  /// What row i may see of the block, counted from the start of the block.
  [[gnu::always_inline]] interval seen_by(index i, interval const& block) const {
    return {larger(allowed[i].first, block.first) - block.first, smaller(allowed[i].last, block.last) - block.first};
  }
};

/// The slope of ALiBi for a head, 2^(-8 (head + 1) / heads); heads that are no power of two take the slopes of the power
/// below, then every second one of the power above. Source: Press, Smith & Lewis, 2108.12409.
[[gnu::always_inline]] inline double alibi_slope(index heads, index head) {
  index power = 1;
  while (2 * power <= heads) power *= 2;
  double const exponent = head < power ? static_cast<double>(head + 1) / static_cast<double>(power)
                                       : (static_cast<double>(head - power) + 0.5) / static_cast<double>(power);
  return std::exp2(-8.0 * exponent);
}

/// Rows of a buffer, the first one behind the last.
template <class Real>
struct ring_rows {
  matrix<Real const> m;
  index first;
  index count;
  [[gnu::always_inline]] Real const* row(index i) const { return m.row(first + i < m.rows ? first + i : first + i - m.rows); }
};

/// The rows of `block` of head `head`, width columns each, in piece `sequence` of the buffer, size rows a piece.
template <class Real>
[[gnu::always_inline]] inline ring_rows<Real> rows_of_block(matrix<Real const> m, index sequence, index size, index head,
                                                            index width, interval const& block) {
  return {m.rows_from(sequence * size, size).columns_from(head * width, width), block.first % size, block.size()};
}

/// Whole pairs of registers, as the products go.
template <class Arch, class Real>
[[gnu::always_inline]] inline index whole_pairs(index n) {
  constexpr index pair = 2 * lanes<Real, Arch>;
  return (n + pair - 1) / pair * pair;
}

/// A block of rows as the right operand of a product y = x w.
template <class Real>
struct block_rows {
  ring_rows<Real> rows;
  packed_view<Real> packed;
  bool finite;
};

/// Packs the rows as they are: w is (count, width).
template <class Arch, class Real>
block_rows<Real> pack_rows(ring_rows<Real> const& rows, Real* to) {
  constexpr index width = lanes<Real, Arch>;
  batch<Real, Arch> const zero(Real(0));
  batch<Real, Arch> product = zero;  // x 0 is NaN for infinities and NaN
  index const n = rows.m.columns;
  for (index i = 0; i < rows.count; ++i) {
    Real const* const from = rows.row(i);
    for (index j = 0; j < whole_pairs<Arch, Real>(n); j += width) {
      index const count = n - j < width ? larger(n - j, 0) : width;
      batch<Real, Arch> const value = rt::load<Arch>(from + (count ? j : 0), count);
      product = multiply_add(value, zero, product);
      value.store_aligned(to + (j / panel<Real> * rows.count + i) * panel<Real> + j % panel<Real>);
    }
  }
  return {rows, {to, rows.count, n}, rt::reduce_add(product) == Real(0)};
}

/// a and b, lane by lane in turn: the lanes of the first halves, or those of the second ones.
template <bool Second, class Real, class Arch>
[[gnu::always_inline]] inline batch<Real, Arch> interleave(batch<Real, Arch> const& a, batch<Real, Arch> const& b) {
  using register_type = typename batch<Real, Arch>::register_type;
  constexpr int width = static_cast<int>(lanes<Real, Arch>);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return batch<Real, Arch>(static_cast<register_type>(
        __builtin_shufflevector(static_cast<register_type>(a), static_cast<register_type>(b),
                                ((Second ? width / 2 : 0) + I / 2 + I % 2 * width)...)));
  }(std::make_integer_sequence<int, width>{});
}

/// Packs the transpose of the rows: w is (width, whole pairs of registers from count), zero beyond count.
template <class Arch, class Real>
packed_view<Real> pack_transposed(ring_rows<Real> const& rows, Real* to) {
  constexpr index width = lanes<Real, Arch>;
  index const k = rows.m.columns;
  index const n = whole_pairs<Arch, Real>(rows.count);
  for (index j = 0; j < n; j += width) {
    Real const* from[width];
    for (index i = 0; i < width; ++i) from[i] = j + i < rows.count ? rows.row(j + i) : nullptr;
    Real* const column = to + j / panel<Real> * k * panel<Real> + j % panel<Real>;
    for (index p = 0; p < k; p += width) {
      index const count = k - p < width ? k - p : width;
      batch<Real, Arch> row[width];
      if (count == width && from[width - 1]) {
        for (index i = 0; i < width; ++i) row[i] = rt::load<Arch>(from[i] + p);
      } else {
        for (index i = 0; i < width; ++i)
          row[i] = from[i] ? rt::load<Arch>(from[i] + p, count) : batch<Real, Arch>(Real(0));
      }
      for (index stage = 1; stage < width; stage *= 2) {
        batch<Real, Arch> next[width];
        for (index i = 0; i < width / 2; ++i) {
          next[2 * i] = interleave<false>(row[i], row[i + width / 2]);
          next[2 * i + 1] = interleave<true>(row[i], row[i + width / 2]);
        }
        for (index i = 0; i < width; ++i) row[i] = next[i];
      }
      for (index i = 0; i < count; ++i) row[i].store_aligned(column + (p + i) * panel<Real>);
    }
  }
  return {to, k, n};
}

/// y = epilogue(x w), where row i of x is 0 beyond seen(i). A NaN or an infinity in a row of w reaches those rows of y only
/// that may see it, since others would meet it as 0 times NaN.
template <class Arch, class Real, class Seen, class Epilogue>
[[gnu::always_inline]] inline void combine(matrix<Real const> x, block_rows<Real> const& w, matrix<Real> y, Seen const& seen,
                                           Epilogue const& epilogue) {
  if (w.finite) return multiply<Arch>(x, w.packed, y, epilogue);
  for (index i = 0; i < x.rows; ++i)
    for_each_register<Arch, Real>(y.columns, [&](index c, index count) __attribute__((always_inline)) {
      batch<Real, Arch> sum(Real(0));
      interval const columns = seen(i);
      for (index j = columns.first; j < columns.last; ++j)
        sum = multiply_add(broadcast<Arch>(x.row(i)[j]), rt::load<Arch>(w.rows.row(j) + c, count), sum);
      position<Arch, Real> const at{i, c, count};
      at.store(y, epilogue(sum, at));
    });
}

/// The columns of a block that a row may see, on registers.
template <class Arch, class Real>
struct seen_lanes {
  bool all;
  batch<Real, Arch> lane, first, last;

  [[gnu::always_inline]] seen_lanes(interval const& seen, index columns)
      : all(seen.first <= 0 && columns <= seen.last),
        first(static_cast<Real>(seen.first)),
        last(static_cast<Real>(seen.last)) {
    alignas(64) Real number[lanes<Real, Arch>];
    for (index i = 0; i < lanes<Real, Arch>; ++i) number[i] = static_cast<Real>(i);
    lane = batch<Real, Arch>::load_aligned(number);
  }

  /// The numbers of the columns j, j + 1, ... less `offset`.
  [[gnu::always_inline]] batch<Real, Arch> columns(index j, index offset) const {
    return lane + batch<Real, Arch>(static_cast<Real>(j - offset));
  }

  /// x in the columns j, j + 1, ... that are seen, otherwise `hidden`.
  [[gnu::always_inline]] batch<Real, Arch> keep(batch<Real, Arch> const& x, index j, batch<Real, Arch> const& hidden) const {
    if (all) return x;
    batch<Real, Arch> const at = columns(j, 0);
    return xsimd::select(at >= first && at < last, x, hidden);
  }
};

/// From scale <q, k> to the score: cap, then slope; with the derivative of the cap.
template <class Arch, class Real>
struct score_rule {
  bool capped, sloped;
  batch<Real, Arch> cap, inverse;

  [[gnu::always_inline]] explicit score_rule(attention_options const& options)
      : capped(options.softcap != 0),
        sloped(options.alibi),
        cap(static_cast<Real>(options.softcap)),
        inverse(static_cast<Real>(capped ? 1 / options.softcap : 0)) {}

  [[gnu::always_inline]] bool any() const { return capped || sloped; }

  /// `derivative` is written where there is a cap.
  [[gnu::always_inline]] batch<Real, Arch> operator()(batch<Real, Arch> s, Real slope, batch<Real, Arch> const& distance,
                                                      batch<Real, Arch>& derivative) const {
    if (capped) {
      batch<Real, Arch> const t = detail::tanh(s * inverse);
      derivative = multiply_add(-t, t, batch<Real, Arch>(Real(1)));
      s = cap * t;
    }
    if (sloped) s = multiply_add(batch<Real, Arch>(-slope), xsimd::abs(distance), s);
    return s;
  }
};

}  // namespace residua::rt::detail
