// Attention and its tangent, block by block of the keys: no matrix of tokens by tokens exists, and blocks that no query of
// the tile may see are not visited. The softmax is computed online: sums belong to the largest score so far and are scaled
// when a larger one arrives. Sources: Milakov & Gimelshein, 1805.02867; Dao et al., 2205.14135; catalogue 3.1.
// Gradients are in attention_gradient.hpp.
#pragma once

#include <residua/rt/attention_block.hpp>
#include <residua/rt/elementwise.hpp>

#include <limits>

namespace residua::rt {

namespace detail {

/// The scratch of one attention function, which may leave parts unused.
template <class Real>
struct attention_memory {
  Real* packed[4];         // blocks of keys, values and the like, in either order
  matrix<Real> scores[2];  // (rows, block_columns)
  Real* sum[2];            // a line for each row and head: sums of the softmax, by lanes
  Real* top;               // the largest score so far of each row and head
  Real* factor;            // for each row, exp(top before - top)
  Real* column[2];         // for each column of a block
  Real* slope;             // for each head that shares a key head
  index bytes;

  [[gnu::always_inline]] attention_memory(attention_options const& options, void* memory) {
    carver scratch(memory);
    index const group = options.heads / options.kv_heads;
    index const width = (options.head_width + panel<Real> - 1) / panel<Real> * panel<Real>;
    for (Real*& piece : packed) piece = scratch.take_vector<Real>(width * block_columns);
    for (matrix<Real>& piece : scores) piece = scratch.take<Real>(larger(tile_rows, group), block_columns);
    for (Real*& piece : sum) piece = scratch.take_vector<Real>(tile_rows * group * line_bytes / static_cast<index>(sizeof(Real)));
    top = scratch.take_vector<Real>(tile_rows * group);
    factor = scratch.take_vector<Real>(larger(tile_rows, group));
    for (Real*& piece : column) piece = scratch.take_vector<Real>(block_columns);
    slope = scratch.take_vector<Real>(group);
    bytes = scratch.bytes();
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

  /// The position of row i of the tile among the keys, from the start of a block.
  [[gnu::always_inline]] index offset(token_layout const& layout, index i, interval const& block) const {
    return layout.position + token + (i - row) - block.first;
  }

  /// Calls body(strip, number of its first row among the group's) for the strips that may see a part of the block.
  template <class Body>
  [[gnu::always_inline]] void for_each_strip(interval const& block, index first_head, index group, Body const& body) const {
    interval const rows = seen.rows_of(block);
    if (rows.empty()) return;
    if (seen.rows < group)
      for (index i = rows.first; i < rows.last; ++i) body(strip{row + i, first_head, group, true}, i * group);
    else
      for (index head = 0; head < group; ++head)
        body(strip{row + rows.first, first_head + head, rows.size(), false}, head * seen.rows + rows.first);
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
  for (interval block{seen.columns.first, 0}; block.first < seen.columns.last; block.first = block.last) {
    block.last = seen.block_end(block.first);
    body(block);
  }
}

/// The largest lane.
template <class Real, class Arch>
[[gnu::always_inline]] inline Real reduce_max(batch<Real, Arch> const& x) {
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && sizeof(Real) == 4) return _mm512_reduce_max_ps(x);
  else if constexpr (has_avx512<Arch>) return _mm512_reduce_max_pd(x);
  else
#endif
  {
    alignas(64) Real lane[lanes<Real, Arch>];
    x.store_aligned(lane);
    for (index width = lanes<Real, Arch> / 2; width > 0; width /= 2)
      for (index i = 0; i < width; ++i) lane[i] = lane[i] < lane[i + width] ? lane[i + width] : lane[i];
    return lane[0];
  }
}

/// One step of the softmax of a row: scores s become exp(s - top), and with tangents t of s, t becomes t exp(s - top).
/// s, t: n columns, whole registers, scaled products when called. Gives exp(top before - top).
template <bool Tangent, class Arch, class Real>
[[gnu::always_inline]] inline Real softmax_step(score_rule<Arch, Real> const& rule, Real slope, index offset, interval const& seen,
                                                Real* s, Real* t, index n, Real& top, Real* sum, Real* tangent_sum) {
  using lanes_type = batch<Real, Arch>;
  constexpr index width = lanes<Real, Arch>;
  lanes_type const zero(Real(0)), lowest(-std::numeric_limits<Real>::infinity());
  if (seen.empty()) {
    for (index j = 0; j < n; j += width) zero.store_aligned(s + j);
    if constexpr (Tangent)
      for (index j = 0; j < n; j += width) zero.store_aligned(t + j);
    return Real(1);
  }
  seen_lanes<Arch, Real> const keep(seen, n);
  lanes_type largest = lowest;
  if (keep.all && !rule.any()) {
    for (index j = 0; j < n; j += width) largest = xsimd::max(largest, lanes_type::load_aligned(s + j));
  } else {
    for (index j = 0; j < n; j += width) {
      lanes_type derivative(Real(1));
      lanes_type const score = keep.keep(
          rule(lanes_type::load_aligned(s + j), slope, keep.columns(j, offset), derivative), j, lowest);
      largest = xsimd::max(largest, score);
      score.store_aligned(s + j);
      if constexpr (Tangent) keep.keep(lanes_type::load_aligned(t + j) * derivative, j, zero).store_aligned(t + j);
    }
  }
  Real const before = top, in_block = reduce_max(largest);
  if (before < in_block) top = in_block;
  Real const factor = before == top ? Real(1) : exp_of_nonpositive(lanes_type(before - top)).get(0);
  lanes_type const shift(top);
  lanes_type total = lanes_type::load_aligned(sum) * lanes_type(factor), tangent_total = zero;
  if constexpr (Tangent) tangent_total = lanes_type::load_aligned(tangent_sum) * lanes_type(factor);
  for (index j = 0; j < n; j += width) {
    lanes_type const p = exp_of_nonpositive(lanes_type::load_aligned(s + j) - shift);
    p.store_aligned(s + j);
    total += p;
    if constexpr (Tangent) {
      lanes_type const tangent = p * lanes_type::load_aligned(t + j);
      tangent.store_aligned(t + j);
      tangent_total += tangent;
    }
  }
  total.store_aligned(sum);
  if constexpr (Tangent) tangent_total.store_aligned(tangent_sum);
  return factor;
}

/// y += sum
template <class Real>
struct add_to {
  matrix<Real> y;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch sum, Position const& at) const {
    return at.load(y) + sum;
  }
};

/// y = factor(row) y + sum
template <class Real>
struct scale_and_add_to {
  matrix<Real> y;
  Real const* factor;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch sum, Position const& at) const {
    return multiply_add(Batch(factor[at.row]), at.load(y), sum);
  }
};

/// y += c sum
template <class Real>
struct add_multiple_to {
  matrix<Real> y;
  Real c;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch sum, Position const& at) const {
    return multiply_add(Batch(c), sum, at.load(y));
  }
};

/// y = c sum
template <class Real>
struct multiple {
  Real c;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch sum, Position const&) const {
    return Batch(c) * sum;
  }
};

/// attend, and with Tangent attend_jvp.
template <bool Tangent, class Arch, class Real>
[[gnu::always_inline]] inline void attend(attention_options const& options, token_layout const& layout, index first,
                                          matrix<Real const> q, matrix<Real const> k, matrix<Real const> v, matrix<Real const> dq,
                                          matrix<Real const> dk, matrix<Real const> dv, matrix<Real> o, matrix<Real> d_o,
                                          matrix<Real> lse, void* memory) {
  constexpr index line = line_bytes / static_cast<index>(sizeof(Real));
  index const width = options.head_width, group = options.heads / options.kv_heads;
  Real const scale = static_cast<Real>(options.scale);
  attention_memory<Real> const scratch(options, memory);
  score_rule<Arch, Real> const rule(options);
  zero<Arch>(o);
  if constexpr (Tangent) zero<Arch>(d_o);
  for_each_segment(options, layout, first, o.rows, [&](query_segment const& segment) __attribute__((always_inline)) {
    for (index kv_head = 0; kv_head < options.kv_heads; ++kv_head) {
      index const rows = segment.seen.rows * group;
      for (index i = 0; i < rows; ++i) scratch.top[i] = -std::numeric_limits<Real>::infinity();
      for (index i = 0; i < rows * line; ++i) scratch.sum[0][i] = scratch.sum[1][i] = 0;
      if (options.alibi)
        for (index i = 0; i < group; ++i)
          scratch.slope[i] = static_cast<Real>(alibi_slope(options.heads, kv_head * group + i));

      for_each_block(segment.seen, [&](interval const& block) __attribute__((always_inline)) {
        auto const rows_of = [&](matrix<Real const> m) __attribute__((always_inline)) {
          return rows_of_block(m, segment.sequence, layout.key_rows, kv_head, width, block);
        };
        packed_view<Real> const keys = pack_transposed<Arch>(rows_of(k), scratch.packed[0]);
        block_rows<Real> const values = pack_rows<Arch>(rows_of(v), scratch.packed[1]);
        packed_view<Real> key_tangents;
        block_rows<Real> value_tangents{};
        if constexpr (Tangent) {
          key_tangents = pack_transposed<Arch>(rows_of(dk), scratch.packed[2]);
          value_tangents = pack_rows<Arch>(rows_of(dv), scratch.packed[3]);
        }
        segment.for_each_strip(block, kv_head * group, group, [&](strip const& part, index number)
                                                                  __attribute__((always_inline)) {
          matrix<Real> const s = scratch.scores[0].rows_from(0, part.rows), t = scratch.scores[1].rows_from(0, part.rows);
          multiply<Arch>(part.of(q, width), keys, s, multiple<Real>{scale});
          if constexpr (Tangent) {
            multiply<Arch>(part.of(dq, width), keys, t, multiple<Real>{scale});
            multiply<Arch>(part.of(q, width), key_tangents, t, add_multiple_to<Real>{t, scale});
          }
          auto const seen = [&](index i) __attribute__((always_inline)) {
            return segment.seen.seen_by(part.token_of(i) - segment.row, block);
          };
          for (index i = 0; i < part.rows; ++i)
            scratch.factor[i] = softmax_step<Tangent>(
                rule, options.alibi ? scratch.slope[part.head_of(i) - kv_head * group] : Real(0),
                segment.offset(layout, part.token_of(i), block), seen(i), s.row(i), t.row(i), keys.columns,
                scratch.top[number + i], scratch.sum[0] + (number + i) * line, scratch.sum[1] + (number + i) * line);
          matrix<Real> const y = part.of(o, width);
          combine<Arch>(matrix<Real const>(s), values, y, seen, scale_and_add_to<Real>{y, scratch.factor});
          if constexpr (Tangent) {
            matrix<Real> const dy = part.of(d_o, width);
            combine<Arch>(matrix<Real const>(t), values, dy, seen, scale_and_add_to<Real>{dy, scratch.factor});
            combine<Arch>(matrix<Real const>(s), value_tangents, dy, seen, add_to<Real>{dy});
          }
        });
      });

      for (index i = 0; i < rows; ++i) {
        bool const over_heads = segment.seen.rows < group;
        index const token = segment.row + (over_heads ? i / group : i % segment.seen.rows);
        index const head = kv_head * group + (over_heads ? i % group : i / segment.seen.rows);
        Real const total = rt::reduce_add(batch<Real, Arch>::load_aligned(scratch.sum[0] + i * line));
        Real const inverse = total == Real(0) ? Real(0) : Real(1) / total;
        batch<Real, Arch> const each(inverse);
        Real* const y = o.row(token) + head * width;
        for_each_register<Arch, Real>(width, [&](index c, index count) __attribute__((always_inline)) {
          rt::store<Arch>(y + c, rt::load<Arch>(y + c, count) * each, count);
        });
        if (lse.data)
          lse.row(token)[head] = static_cast<Real>(static_cast<double>(scratch.top[i]) + std::log(static_cast<double>(total)));
        if constexpr (Tangent) {
          batch<Real, Arch> const mean(rt::reduce_add(batch<Real, Arch>::load_aligned(scratch.sum[1] + i * line)) * inverse);
          Real* const dy = d_o.row(token) + head * width;
          for_each_register<Arch, Real>(width, [&](index c, index count) __attribute__((always_inline)) {
            rt::store<Arch>(dy + c, rt::load<Arch>(dy + c, count) * each - mean * rt::load<Arch>(y + c, count), count);
          });
        }
      }
    }
  });
}

}  // namespace detail

/// The bytes that an attention function may use at its `memory`, which is aligned to a line; a multiple of a line.
template <class Real>
[[gnu::always_inline]] inline index attention_scratch_bytes(attention_options const& options) {
  return detail::attention_memory<Real>(options, nullptr).bytes;
}

/// o_i = sum_j p_ij v_j for each head, p = softmax over the keys that i may see; lse_i = log sum_j exp(s_ij).
/// q, o: tiles (m, heads head_width), the first row being row `first` of all; k, v: whole buffers
/// (sequences key_rows, kv_heads head_width); lse: tile (m, heads), or null data. o overlaps no other matrix.
/// A query that may see no key gets o = 0 and lse = -infinity. A NaN in a key or value reaches those queries only that may
/// see it. Scores of any finite size; p to a few ulp of exp.
template <class Arch, class Real>
void attend(attention_options const& options, token_layout const& layout, index first,
            matrix<std::type_identity_t<Real> const> q, matrix<std::type_identity_t<Real> const> k,
            matrix<std::type_identity_t<Real> const> v, matrix<Real> o, matrix<std::type_identity_t<Real>> lse, void* memory) {
  detail::attend<false, Arch, Real>(options, layout, first, q, k, v, {}, {}, {}, o, {}, lse, memory);
}

/// o, and do_i = sum_j p_ij (ds_ij (v_j - o_i) + dv_j) with ds_ij the tangent of the score.
/// q, dq, o, d_o: tiles; k, v, dk, dv: whole buffers. o and d_o overlap no other matrix.
template <class Arch, class Real>
void attend_jvp(attention_options const& options, token_layout const& layout, index first,
                matrix<std::type_identity_t<Real> const> q, matrix<std::type_identity_t<Real> const> k,
                matrix<std::type_identity_t<Real> const> v, matrix<std::type_identity_t<Real> const> dq,
                matrix<std::type_identity_t<Real> const> dk, matrix<std::type_identity_t<Real> const> dv, matrix<Real> o,
                matrix<std::type_identity_t<Real>> d_o, void* memory) {
  detail::attend<true, Arch, Real>(options, layout, first, q, k, v, dq, dk, dv, o, d_o, {}, memory);
}

}  // namespace residua::rt
