// Who may see whom: masks as one interval of columns for each row. Rows are queries and columns keys, except in the gradient
// of the keys, where they change places.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/sequences.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/attention/options.hpp>

namespace residua::rt::detail {

[[gnu::always_inline]] inline index valid_keys(token_layout const& layout, index sequence) {
  return layout.lengths ? smaller(layout.lengths[sequence], layout.keys) : layout.keys;
}

/// How far a window reaches to either side: a place and the reach of the widest window still have a sum.
[[gnu::always_inline]] inline index reach_of(attention_options const& options) {
  constexpr index everywhere = index{1} << (8 * sizeof(index) - 3);
  return smaller(options.causal ? options.window - 1 : options.window / 2, everywhere);
}

/// The keys that a token of the sequence may see.
[[gnu::always_inline]] inline interval allowed_keys(attention_options const& options, token_layout const& layout, index sequence,
                                                    index token) {
  index const at = layout.position + token;
  index const reach = reach_of(options);
  interval keys{larger(0, layout.keys - layout.key_rows), valid_keys(layout, sequence)};
  if (options.window) keys = {larger(keys.first, at - reach), smaller(keys.last, at + reach + 1)};
  if (options.causal) keys.last = smaller(keys.last, at + 1);
  return keys;
}

/// The tokens of the sequence that may see a key.
[[gnu::always_inline]] inline interval allowed_tokens(attention_options const& options, token_layout const& layout,
                                                      index sequence, index key) {
  index const at = key - layout.position;
  index const reach = reach_of(options);
  interval tokens{0, key < valid_keys(layout, sequence) ? layout.tokens : 0};
  if (options.window) tokens = {larger(0, at - reach), smaller(tokens.last, at + reach + 1)};
  if (options.causal) tokens.first = larger(tokens.first, at);
  return tokens;
}

/// Columns of a block: its packed rows and the scores against it stay in L2.
inline constexpr index block_columns = 128;

/// Rows that take the same part of a block at the edge of the mask: a third of a tile at most, for little work that is
/// masked, but whole blocks of the micro-kernel.
template <class Arch>
inline constexpr index edge_rows = tile_rows / 3 / kernel_rows<Arch> * kernel_rows<Arch>;

/// What the consecutive rows of one sequence may see; the bounds of the intervals that are not empty never decrease.
struct mask {
  index rows = 0;
  interval columns{0, 0};       // that any row may see
  interval allowed[tile_rows];  // of each row

  [[gnu::always_inline]] mask() {}  // not implicit, which would be a function that instruction sets share

  [[gnu::always_inline]] void add(interval const& seen) {
    allowed[rows++] = seen;
    if (seen.empty()) return;
    columns.first = columns.empty() ? seen.first : smaller(columns.first, seen.first);
    columns.last = larger(columns.last, seen.last);
  }

  /// The block that starts with a column, empty behind the last one.
  [[gnu::always_inline]] interval block_from(index column) const {
    return {column, smaller(column + block_columns, columns.last)};
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

  /// Calls body(rows, columns) for parts of the block that hold all that is seen of it: few rows each where the mask cuts
  /// the block. Columns are counted from the start of the block and start with a panel.
  template <class Arch, class Real, class Body>
  [[gnu::always_inline]] void for_each_part(interval const& block, Body const& body) const {
    interval const some = rows_of(block);
    if (some.empty()) return;
    bool const cut = allowed[some.last - 1].first > block.first || allowed[some.first].last < block.last;
    row_blocks const parts(some.size(), cut ? edge_rows<Arch> : some.size());
    for (index i = 0; i < parts.count; ++i) {
      interval const part{some.first + parts.first(i), some.first + parts.first(i + 1)};
      index const first = larger(allowed[part.first].first, block.first) - block.first;
      index const last = smaller(allowed[part.last - 1].last, block.last) - block.first;
      interval const part_columns{first / panel<Real> * panel<Real>, last};
      if (!part_columns.empty()) body(part, part_columns);
    }
  }

  /// What row i may see, counted from a column.
  [[gnu::always_inline]] interval seen_by(index i, index from, index count) const {
    return {larger(allowed[i].first - from, 0), smaller(allowed[i].last - from, count)};
  }
};

/// Rows of a tile that meet the keys together: the tokens of one head, or the heads of one token that share a key head.
struct strip {
  index token;  // the first of each
  index head;
  index rows;
  bool over_heads;

  [[gnu::always_inline]] index token_of(index i) const { return over_heads ? token : token + i; }
  [[gnu::always_inline]] index head_of(index i) const { return over_heads ? head + i : head; }

  /// The rows of the strip in a tile of (tokens, heads width).
  template <class Real>
  [[gnu::always_inline]] matrix<Real> of(matrix<Real> const& m, index width) const {
    if (over_heads) return {m.row(token) + head * width, rows, width, width};
    return m.rows_from(token, rows).columns_from(head * width, width);
  }
};

/// The tokens of a tile that belong to one sequence, and what they may see.
struct query_segment {
  index row;  // of the tile, the first
  index sequence;
  index token;
  mask seen;

  [[gnu::always_inline]] query_segment(attention_options const& options, token_layout const& layout, index first, index row_,
                                       index rows)
      : row(row_), sequence((first + row_) / layout.tokens), token((first + row_) % layout.tokens) {
    index const count = smaller(layout.tokens - token, rows - row);
    for (index i = 0; i < count; ++i) seen.add(allowed_keys(options, layout, sequence, token + i));
  }

  /// The position of row i of the tile among the keys, counted from a key.
  [[gnu::always_inline]] index offset(token_layout const& layout, index i, index from) const {
    return layout.position + token + (i - row) - from;
  }

  /// Calls body(strip, columns of the block, number of the first row among the group's) for all that is seen of a block.
  template <class Arch, class Real, class Body>
  [[gnu::always_inline]] void for_each_strip(interval const& block, index first_head, index group, Body const& body) const {
    seen.for_each_part<Arch, Real>(block, [&](interval const& rows, interval const& columns) __attribute__((always_inline)) {
      bool const over_heads = seen.rows < group;
      for (index i = 0, strips = over_heads ? rows.size() : group; i < strips; ++i)
        body(over_heads ? strip{row + rows.first + i, first_head, group, true}
                        : strip{row + rows.first, first_head + i, rows.size(), false},
             columns, over_heads ? (rows.first + i) * group : i * seen.rows + rows.first);
    });
  }
};

/// Calls body(segment) for the sequences of which the tile has rows.
template <class Body>
[[gnu::always_inline]] inline void for_each_segment(attention_options const& options, token_layout const& layout, index first,
                                                    index rows, Body const& body) {
  for (index row = 0; row < rows;) {
    query_segment const segment(options, layout, first, row, rows);
    body(segment);
    row += segment.seen.rows;
  }
}

/// Calls body(block) for the blocks of columns that some row may see, in order.
template <class Body>
[[gnu::always_inline]] inline void for_each_block(mask const& seen, Body const& body) {
  for (interval block = seen.block_from(seen.columns.first); !block.empty(); block = seen.block_from(block.last)) body(block);
}

}  // namespace residua::rt::detail
