// The gradient of attention in two sweeps that compute the probabilities again from the sums of attend: tiles of queries against
// blocks of keys, and tiles of keys against blocks of queries, so that no two tiles write the same element. Sources: Dao et al.,
// 2205.14135; catalogue 3.1.
#pragma once

#include <residua/rt/core/reduce.hpp>
#include <residua/rt/kernels/attention/forward.hpp>

namespace residua::rt {

namespace detail {

/// 1 / sum of a softmax, 0 where there was nothing to sum.
template <class Real>
[[gnu::always_inline]] inline Real inverse_of(Real sum) {
  return sum == Real(0) ? Real(0) : Real(1) / sum;
}

/// s, a row of scaled products, becomes the probabilities exp(s - top) / sum; g, their gradients, becomes the gradients
/// p (g - delta) c' power of the products. top(j), inverse(j) and delta(j) give registers. n columns, whole registers.
template <class Arch, class Real, class Top, class Inverse, class Delta>
[[gnu::always_inline]] inline void gradient_step(score_rule<Arch, Real> const& rule, Real power, Real slope, index offset,
                                                 interval const& seen, Real* s, Real* g, index n, Top const& top,
                                                 Inverse const& inverse, Delta const& delta) {
  using lanes_type = batch<Real, Arch>;
  lanes_type const zero(Real(0)), factor(power);
  seen_lanes<Arch, Real> const keep(seen, n);
  for (index j = 0; j < n; j += lanes<Real, Arch>) {
    lanes_type derivative(Real(1)), score = lanes_type::load_aligned(s + j);
    if (rule.any()) score = rule(score, slope, keep.columns(j, offset), derivative);
    lanes_type const p = keep.keep(exp_of_nonpositive(score - top(j)) * inverse(j), j, zero);
    lanes_type const change = p * (lanes_type::load_aligned(g + j) - delta(j)) * derivative * factor;
    p.store_aligned(s + j);
    xsimd::select(p == zero, zero, change).store_aligned(g + j);
  }
}

}  // namespace detail

/// delta_i = <go_i, o_i> for each head.  o, go: tiles (m, heads head_width), delta: (m, heads)
template <class Arch, class Real>
void attend_dots(attention_options const& options, matrix<std::type_identity_t<Real> const> o,
                 matrix<std::type_identity_t<Real> const> go, matrix<Real> delta) {
  for (index i = 0; i < delta.rows; ++i)
    for (index head = 0; head < options.heads; ++head)
      delta.row(i)[head] =
          detail::row_dot<Arch>(go.row(i) + head * options.head_width, o.row(i) + head * options.head_width, options.head_width);
}

/// gq_i = scale sum_j ds_ij k_j with ds_ij = p_ij (<go_i, v_j> - delta_i) c'_ij, c' the derivative of the cap.
/// q, sums, delta, go, gq: tiles, the first row being row `first` of all; k, v: whole buffers. gq overlaps no other matrix.
/// A NaN in a key or value reaches the gradients of those queries only that may see it.
template <class Arch, class Real>
void attend_vjp_queries(attention_options const& options, token_layout const& layout, index first,
                        matrix<std::type_identity_t<Real> const> q, matrix<std::type_identity_t<Real> const> k,
                        matrix<std::type_identity_t<Real> const> v, matrix<std::type_identity_t<Real> const> sums,
                        matrix<std::type_identity_t<Real> const> delta, matrix<std::type_identity_t<Real> const> go,
                        matrix<Real> gq, void* memory) {
  index const width = options.head_width, group = options.heads / options.kv_heads;
  detail::score_scale<Real> const scale(options.scale);
  detail::attention_memory<Real> const scratch(options, memory);
  detail::score_rule<Arch, Real> const rule(options);
  zero<Arch>(gq);
  detail::for_each_segment(
      options, layout, first, gq.rows, [&](detail::query_segment const& segment) __attribute__((always_inline)) {
        for (index kv_head = 0; kv_head < options.kv_heads; ++kv_head) {
          if (options.alibi)
            for (index i = 0; i < group; ++i)
              scratch.slope[i] = static_cast<Real>(detail::alibi_slope(options.heads, kv_head * group + i));
          detail::for_each_block(segment.seen, [&](detail::interval const& block) __attribute__((always_inline)) {
            auto const key_rows = detail::rows_of_block<Real>(k, segment.sequence, layout.key_rows, kv_head, width, block);
            auto const value_rows = detail::rows_of_block<Real>(v, segment.sequence, layout.key_rows, kv_head, width, block);
            packed_view<Real> const keys_across = detail::pack_transposed<Arch>(key_rows, scale.power, scratch.packed[0]);
            packed_view<Real> const values_across = detail::pack_transposed<Arch>(value_rows, 1, scratch.packed[1]);
            detail::block_rows<Real> const keys = detail::pack_rows<Arch>(key_rows, scratch.packed[2]);
            segment.for_each_strip<Arch, Real>(
                block, kv_head * group, group,
                [&](detail::strip const& part, detail::interval const& columns, index) __attribute__((always_inline)) {
                  index const from = block.first + columns.first, count = detail::whole_pairs<Arch, Real>(columns.size());
                  matrix<Real> const s{scratch.scores[0].data, part.rows, count, scratch.scores[0].stride};
                  matrix<Real> const g{scratch.scores[1].data, part.rows, count, scratch.scores[1].stride};
                  multiply_with<Arch, Real>(part.of(q, width), keys_across.columns_from(columns.first, count), s,
                                            detail::multiple<Real>{scale.rest});
                  multiply_with<Arch, Real>(part.of(go, width), values_across.columns_from(columns.first, count), g,
                                            detail::multiple<Real>{Real(1)});
                  auto const seen = [&](index i) __attribute__((always_inline)) {
                    return segment.seen.seen_by(part.token_of(i) - segment.row, from, columns.size());
                  };
                  for (index i = 0; i < part.rows; ++i) {
                    index const token = part.token_of(i), head = part.head_of(i);
                    batch<Real, Arch> const row_top(sums.row(token)[head]), row_delta(delta.row(token)[head]);
                    batch<Real, Arch> const row_inverse(detail::inverse_of(sums.row(token)[options.heads + head]));
                    detail::gradient_step(
                        rule, scale.power, options.alibi ? scratch.slope[head - kv_head * group] : Real(0),
                        segment.offset(layout, token, from), seen(i), s.row(i), g.row(i), count,
                        [&](index) __attribute__((always_inline)) { return row_top; },
                        [&](index) __attribute__((always_inline)) { return row_inverse; },
                        [&](index) __attribute__((always_inline)) { return row_delta; });
                  }
                  detail::combine<Arch>(matrix<Real const>(g), keys, columns, part.of(gq, width), seen,
                                        detail::add_multiple<Real>{scale.rest});
                });
          });
        }
      });
}

/// gk_j = scale sum_i ds_ij q_i and gv_j = sum_i p_ij go_i, summed over the query heads that share the key head.
/// k, v, gk, gv: tiles (m, kv_heads head_width) of the key rows, the first one being key row `first` of all, with
/// layout.keys == layout.key_rows; q, go: whole buffers (sequences tokens, heads head_width), delta: (.., heads), sums: (.., 2
/// heads) as of attend. gk and gv overlap no other matrix. Keys that no query may see get zeros, and a NaN of a query reaches
/// only what it may see.
template <class Arch, class Real>
void attend_vjp_keys(attention_options const& options, token_layout const& layout, index first,
                     matrix<std::type_identity_t<Real> const> k, matrix<std::type_identity_t<Real> const> v,
                     matrix<std::type_identity_t<Real> const> q, matrix<std::type_identity_t<Real> const> sums,
                     matrix<std::type_identity_t<Real> const> delta, matrix<std::type_identity_t<Real> const> go, matrix<Real> gk,
                     matrix<std::type_identity_t<Real>> gv, void* memory) {
  index const width = options.head_width, group = options.heads / options.kv_heads;
  detail::score_scale<Real> const scale(options.scale);
  detail::attention_memory<Real> const scratch(options, memory);
  detail::score_rule<Arch, Real> const rule(options);
  zero<Arch>(gk);
  zero<Arch>(gv);
  for (index row = 0, rows_here = 0; row < gk.rows; row += rows_here) {
    index const sequence = (first + row) / layout.key_rows, key = (first + row) % layout.key_rows;
    detail::mask seen;
    rows_here = detail::smaller(layout.key_rows - key, gk.rows - row);
    for (index i = 0; i < rows_here; ++i) seen.add(detail::allowed_tokens(options, layout, sequence, key + i));
    for (index head = 0; head < options.heads; ++head) {
      index const kv_head = head / group;
      Real const slope = options.alibi ? static_cast<Real>(detail::alibi_slope(options.heads, head)) : Real(0);
      detail::for_each_block(seen, [&](detail::interval const& block) __attribute__((always_inline)) {
        auto const query_rows = detail::rows_of_block<Real>(q, sequence, layout.tokens, head, width, block);
        auto const gradient_rows = detail::rows_of_block<Real>(go, sequence, layout.tokens, head, width, block);
        packed_view<Real> const queries_across = detail::pack_transposed<Arch>(query_rows, scale.power, scratch.packed[0]);
        packed_view<Real> const gradients_across = detail::pack_transposed<Arch>(gradient_rows, 1, scratch.packed[1]);
        detail::block_rows<Real> const queries = detail::pack_rows<Arch>(query_rows, scratch.packed[2]);
        detail::block_rows<Real> const gradients = detail::pack_rows<Arch>(gradient_rows, scratch.packed[3]);
        for (index j = 0; j < queries_across.columns; ++j) {
          index const i = sequence * layout.tokens + block.first + (j < block.size() ? j : 0);
          scratch.column[0][j] = sums.row(i)[head];
          scratch.column[1][j] = detail::inverse_of(sums.row(i)[options.heads + head]);
          scratch.column[2][j] = delta.row(i)[head];
        }
        seen.for_each_part<Arch, Real>(
            block, [&](detail::interval const& rows, detail::interval const& columns) __attribute__((always_inline)) {
              index const from = block.first + columns.first, count = detail::whole_pairs<Arch, Real>(columns.size());
              auto const part = [&](auto const& m) __attribute__((always_inline)) {
                return m.rows_from(row + rows.first, rows.size()).columns_from(kv_head * width, width);
              };
              auto const seen_by = [&](index i) __attribute__((always_inline)) {
                return seen.seen_by(rows.first + i, from, columns.size());
              };
              matrix<Real> const s{scratch.scores[0].data, rows.size(), count, scratch.scores[0].stride};
              matrix<Real> const g{scratch.scores[1].data, rows.size(), count, scratch.scores[1].stride};
              multiply_with<Arch, Real>(part(k), queries_across.columns_from(columns.first, count), s,
                                        detail::multiple<Real>{scale.rest});
              multiply_with<Arch, Real>(part(v), gradients_across.columns_from(columns.first, count), g,
                                        detail::multiple<Real>{Real(1)});
              auto const column = [&](index which) __attribute__((always_inline)) {
                return [from_column = scratch.column[which] + columns.first](index j)
                           __attribute__((always_inline)) { return batch<Real, Arch>::load_aligned(from_column + j); };
              };
              for (index i = 0; i < rows.size(); ++i)
                detail::gradient_step(rule, scale.power, slope, key + rows.first + i - layout.position - from, seen_by(i),
                                      s.row(i), g.row(i), count, column(0), column(1), column(2));
              detail::combine<Arch>(matrix<Real const>(s), gradients, columns, part(gv), seen_by,
                                    detail::add_multiple<Real>{Real(1)});
              detail::combine<Arch>(matrix<Real const>(g), queries, columns, part(gk), seen_by,
                                    detail::add_multiple<Real>{scale.rest});
            });
      });
    }
  }
}

}  // namespace residua::rt
