// Blocks of rows of a buffer, packed for the products of attention.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/pack.hpp>

#include <utility>

namespace residua::rt::detail {

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

  /// The rows [first, last) of panel column c, whose panels are as far apart as those of all rows.
  [[gnu::always_inline]] packed_view<Real> part(interval const& some, index c) const {
    index const count = packed.columns - c < panel<Real> ? packed.columns - c : panel<Real>;
    return {packed.panel_data(c) + some.first * panel<Real>, some.size(), count};
  }
};

/// Packs the rows as they are: w is (count, width).
template <class Arch, class Real>
block_rows<Real> pack_rows(ring_rows<Real> const& rows, Real* to) {
  constexpr index width = lanes<Real, Arch>;
  batch<Real, Arch> const zero(Real(0));
  batch<Real, Arch> product = zero;  // x 0 is NaN for infinities and NaN
  auto const copy = [&](Real const* from, index count, Real* place) __attribute__((always_inline)) {
    batch<Real, Arch> const value = count ? rt::load<Arch>(from, count) : zero;
    product = multiply_add(value, zero, product);
    value.store_aligned(place);
  };
  index const n = rows.m.columns;
  Real* place = to;
  for (index c = 0; c < n; c += panel<Real>)
    for (index i = 0; i < rows.count; ++i, place += panel<Real>) {
      Real const* const from = rows.row(i) + c;
      if (n - c >= panel<Real>)
        for (index j = 0; j < panel<Real>; j += width) copy(from + j, width, place + j);
      else
        for (index j = 0; j < panel<Real>; j += width) copy(from + j, smaller(larger(n - c - j, 0), width), place + j);
    }
  return {rows, {to, rows.count, n}, rt::reduce_add(product) == Real(0)};
}

/// a and b, lane by lane in turn: the lanes of the first halves, or those of the second ones.
template <bool Second, class Real, class Arch>
[[gnu::always_inline]] inline batch<Real, Arch> interleave(batch<Real, Arch> const& a, batch<Real, Arch> const& b) {
  using register_type = typename batch<Real, Arch>::register_type;
  constexpr int width = static_cast<int>(lanes<Real, Arch>);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return batch<Real, Arch>(static_cast<register_type>(__builtin_shufflevector(
        static_cast<register_type>(a), static_cast<register_type>(b), ((Second ? width / 2 : 0) + I / 2 + I % 2 * width)...)));
  }(std::make_integer_sequence<int, width>{});
}

/// Packs the transpose of the rows times `factor`: w is (width, whole pairs of registers from count), zero beyond count.
template <class Arch, class Real>
packed_view<Real> pack_transposed(ring_rows<Real> const& rows, std::type_identity_t<Real> factor, Real* to) {
  constexpr index width = lanes<Real, Arch>;
  index const k = rows.m.columns;
  index const n = whole_pairs<Arch, Real>(rows.count);
  batch<Real, Arch> const each(factor);
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
        for (index i = 0; i < width; ++i) row[i] = from[i] ? rt::load<Arch>(from[i] + p, count) : batch<Real, Arch>(Real(0));
      }
      for (index stage = 1; stage < width; stage *= 2) {
        batch<Real, Arch> next[width];
        for (index i = 0; i < width / 2; ++i) {
          next[2 * i] = interleave<false>(row[i], row[i + width / 2]);
          next[2 * i + 1] = interleave<true>(row[i], row[i + width / 2]);
        }
        for (index i = 0; i < width; ++i) row[i] = next[i];
      }
      for (index i = 0; i < count; ++i) (row[i] * each).store_aligned(column + (p + i) * panel<Real>);
    }
  }
  return {to, k, n};
}

}  // namespace residua::rt::detail
