// Attention and its tangent, block by block of the keys: no matrix of tokens by tokens exists, and blocks that no query of
// the tile may see are not visited. The softmax is computed online: sums belong to the largest score so far and are scaled
// when a larger one arrives. Sources: Milakov & Gimelshein, 1805.02867; Dao et al., 2205.14135; catalogue 3.1.
// Gradients are in gradient.hpp.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/kernels/attention/block.hpp>
#include <residua/rt/kernels/attention/mask.hpp>
#include <residua/rt/kernels/elementwise.hpp>

#include <cmath>

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
  Real* column[3];         // for each column of a block
  Real* slope;             // for each head that shares a key head
  index bytes;

  [[gnu::always_inline]] attention_memory(attention_options const& options, void* memory) : scores{{}, {}} {
    carver scratch(memory);
    index const group = options.heads / options.kv_heads;
    index const width = (options.head_width + panel<Real> - 1) / panel<Real> * panel<Real>;
    for (Real*& piece : packed) piece = scratch.take_vector<Real>(width * block_columns);
    for (matrix<Real>& piece : scores)
      piece = scratch.take<Real>(larger(tile_rows, group), block_columns + line_bytes / static_cast<index>(sizeof(Real)));
    for (Real*& piece : sum) piece = scratch.take_vector<Real>(tile_rows * group * line_bytes / static_cast<index>(sizeof(Real)));
    top = scratch.take_vector<Real>(tile_rows * group);
    factor = scratch.take_vector<Real>(larger(tile_rows, group));
    for (Real*& piece : column) piece = scratch.take_vector<Real>(block_columns);
    slope = scratch.take_vector<Real>(group);
    bytes = scratch.bytes();
  }
};

/// One step of the softmax of each row: scores s become exp(s - top), and with tangents t of s, t becomes t exp(s - top).
/// s, t: scaled products when called, whole registers a row; row_of(i) says what row i may see, never nothing.
/// For each row: top, and a line each of sum and tangent_sum; factor becomes exp(top before - top).
template <bool Tangent, class Arch, class Real, class RowOf>
void softmax_step(score_rule<Arch, Real> const& rule, matrix<Real> s, matrix<Real> t, RowOf const& row_of, Real* top,
                  Real* factor, Real* sum, Real* tangent_sum) {
  using lanes_type = batch<Real, Arch>;
  constexpr index width = lanes<Real, Arch>;
  constexpr index line = line_bytes / static_cast<index>(sizeof(Real));
  lanes_type const zero(Real(0)), lowest(no_score<Real>);
  for (index i = 0; i < s.rows; ++i) {
    auto const row = row_of(i);
    Real* const scores = s.row(i);
    seen_lanes<Arch, Real> const keep(row.seen, s.columns);
    lanes_type largest = lowest;
    if (keep.all && !rule.any()) {
      for (index j = 0; j < s.columns; j += width) largest = xsimd::max(largest, lanes_type::load_aligned(scores + j));
    } else {
      for (index j = 0; j < s.columns; j += width) {
        lanes_type derivative(Real(1));
        lanes_type const score =
            keep.keep(rule(lanes_type::load_aligned(scores + j), row.slope, keep.columns(j, row.offset), derivative), j, lowest);
        largest = xsimd::max(largest, score);
        score.store_aligned(scores + j);
        if constexpr (Tangent)
          keep.keep(lanes_type::load_aligned(t.row(i) + j) * derivative, j, zero).store_aligned(t.row(i) + j);
      }
    }
    factor[i] = reduce_max(largest);
  }
  for_each_register<Arch, Real>(s.rows, [&](index i, index count) __attribute__((always_inline)) {
    lanes_type const before = rt::load<Arch>(top + i, count), now = xsimd::max(rt::load<Arch>(factor + i, count), before);
    rt::store<Arch>(top + i, now, count);
    rt::store<Arch>(factor + i, exp_of_nonpositive(before - now), count);
  });
  for (index i = 0; i < s.rows; ++i) {
    Real* const scores = s.row(i);
    lanes_type const shift(top[i]), scale(factor[i]);
    lanes_type total = lanes_type::load_aligned(sum + i * line) * scale, tangent_total = zero;
    if constexpr (Tangent) tangent_total = lanes_type::load_aligned(tangent_sum + i * line) * scale;
    for (index j = 0; j < s.columns; j += width) {
      lanes_type const p = exp_of_nonpositive(lanes_type::load_aligned(scores + j) - shift);
      p.store_aligned(scores + j);
      total += p;
      if constexpr (Tangent) {
        lanes_type const tangent = p * lanes_type::load_aligned(t.row(i) + j);
        tangent.store_aligned(t.row(i) + j);
        tangent_total += tangent;
      }
    }
    total.store_aligned(sum + i * line);
    if constexpr (Tangent) tangent_total.store_aligned(tangent_sum + i * line);
  }
}

/// attend, and with Tangent attend_jvp.
template <bool Tangent, class Arch, class Real>
[[gnu::always_inline]] inline void attend(attention_options const& options, token_layout const& layout, index first,
                                          matrix<Real const> q, matrix<Real const> k, matrix<Real const> v, matrix<Real const> dq,
                                          matrix<Real const> dk, matrix<Real const> dv, matrix<Real> o, matrix<Real> d_o,
                                          matrix<Real> sums, void* memory) {
  constexpr index line = line_bytes / static_cast<index>(sizeof(Real));
  index const width = options.head_width, group = options.heads / options.kv_heads;
  score_scale<Real> const scale(options.scale);
  attention_memory<Real> const scratch(options, memory);
  score_rule<Arch, Real> const rule(options);
  zero<Arch>(o);
  if constexpr (Tangent) zero<Arch>(d_o);
  for_each_segment(options, layout, first, o.rows, [&](query_segment const& segment) __attribute__((always_inline)) {
    for (index kv_head = 0; kv_head < options.kv_heads; ++kv_head) {
      index const rows = segment.seen.rows * group;
      for (index i = 0; i < rows; ++i) scratch.top[i] = no_score<Real>;
      for (index i = 0; i < rows * line; ++i) scratch.sum[0][i] = scratch.sum[1][i] = 0;
      if (options.alibi)
        for (index i = 0; i < group; ++i) scratch.slope[i] = static_cast<Real>(alibi_slope(options.heads, kv_head * group + i));

      for_each_block(segment.seen, [&](interval const& block) __attribute__((always_inline)) {
        auto const rows_of = [&](matrix<Real const> m) __attribute__((always_inline)) {
          return rows_of_block(m, segment.sequence, layout.key_rows, kv_head, width, block);
        };
        packed_view<Real> const keys = pack_transposed<Arch>(rows_of(k), scale.power, scratch.packed[0]);
        block_rows<Real> const values = pack_rows<Arch>(rows_of(v), scratch.packed[1]);
        auto const key_tangents = [&]() __attribute__((always_inline)) {
          if constexpr (Tangent) return pack_transposed<Arch>(rows_of(dk), scale.power, scratch.packed[2]);
          else return keys;
        }();
        auto const value_tangents = [&]() __attribute__((always_inline)) {
          if constexpr (Tangent) return pack_rows<Arch>(rows_of(dv), scratch.packed[3]);
          else return values;
        }();
        segment.for_each_strip<Arch, Real>(
            block, kv_head * group, group,
            [&](strip const& part, interval const& columns, index number) __attribute__((always_inline)) {
              index const from = block.first + columns.first;
              packed_view<Real> const some_keys = keys.columns_from(columns.first, whole_pairs<Arch, Real>(columns.size()));
              matrix<Real> const s{scratch.scores[0].data, part.rows, some_keys.columns, scratch.scores[0].stride};
              matrix<Real> const t{scratch.scores[1].data, part.rows, some_keys.columns, scratch.scores[1].stride};
              multiply_with<Arch, Real>(part.of(q, width), some_keys, s, multiple<Real>{scale.rest});
              if constexpr (Tangent) {
                multiply_with<Arch, Real>(part.of(dq, width), some_keys, t, multiple<Real>{scale.rest});
                multiply_with<Arch, Real>(
                    part.of(q, width), key_tangents.columns_from(columns.first, some_keys.columns), t,
                    [&](batch<Real, Arch> const& sum, position<Arch, Real> const& at)
                        __attribute__((always_inline)) { return multiply_add(batch<Real, Arch>(scale.rest), sum, at.load(t)); });
              }
              auto const seen = [&](index i) __attribute__((always_inline)) {
                return segment.seen.seen_by(part.token_of(i) - segment.row, from, columns.size());
              };
              struct row_rule {
                interval seen;
                Real slope;
                index offset;
              };
              auto const row_of = [&](index i) __attribute__((always_inline)) {
                return row_rule{seen(i), options.alibi ? scratch.slope[part.head_of(i) - kv_head * group] : Real(0),
                                segment.offset(layout, part.token_of(i), from)};
              };
              softmax_step<Tangent>(rule, s, t, row_of, scratch.top + number, scratch.factor, scratch.sum[0] + number * line,
                                    scratch.sum[1] + number * line);
              matrix<Real> const y = part.of(o, width);
              combine<Arch>(matrix<Real const>(s), values, columns, y, seen, scale_and_add<Real>{scratch.factor});
              if constexpr (Tangent) {
                matrix<Real> const dy = part.of(d_o, width);
                combine<Arch>(matrix<Real const>(t), values, columns, dy, seen, scale_and_add<Real>{scratch.factor});
                combine<Arch>(matrix<Real const>(s), value_tangents, columns, dy, seen, add_multiple<Real>{Real(1)});
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
        if (sums.data) {
          sums.row(token)[head] = scratch.top[i];
          sums.row(token)[options.heads + head] = total;
        }
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
template <class Arch, class Real>
index attention_scratch_bytes(attention_options const& options) {
  return detail::attention_memory<Real>(options, nullptr).bytes;
}

/// o_i = sum_j p_ij v_j for each head, p = softmax over the keys that i may see. sums is what gradients need of the softmax:
/// for head a, column a holds top_i = max_j s_ij and column heads + a holds sum_j exp(s_ij - top_i). They stay apart, since
/// their logarithm in one number would lose the digits of the sum where the scores are large.
/// q, o: tiles (m, heads head_width), the first row being row `first` of all; k, v: whole buffers
/// (sequences key_rows, kv_heads head_width); sums: tile (m, 2 heads), or null data. o overlaps no other matrix.
/// A query that may see no key gets o = 0, top = -infinity and sum 0. A NaN in a key or value reaches those queries only that may
/// see it. Scores of any finite size; p to a few ulp of exp.
template <class Arch, class Real>
void attend(attention_options const& options, token_layout const& layout, index first, matrix<std::type_identity_t<Real> const> q,
            matrix<std::type_identity_t<Real> const> k, matrix<std::type_identity_t<Real> const> v, matrix<Real> o,
            matrix<std::type_identity_t<Real>> sums, void* memory) {
  detail::attend<false, Arch, Real>(options, layout, first, q, k, v, {}, {}, {}, o, {}, sums, memory);
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
