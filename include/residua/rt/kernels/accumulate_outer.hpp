// The gradients of weights, gw += x^T g, and of biases, gb += sum of rows.
// One micro-kernel keeps a block of gw in registers for many rows, so an element is one chain of fma in the order of rows.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>

#include <utility>

namespace residua::rt {

namespace detail {

/// How many rows ahead x is fetched: consecutive rows are pages apart, which no hardware prefetcher follows.
inline constexpr index outer_ahead = 12;

/// gw(r, 0 .. count) += sum over i of x(i, r) g(i, ..), r < Rows, count <= 2 lanes; g is contiguous and aligned, 2 lanes a row.
template <class Arch, class Real, index Rows>
[[gnu::noinline]] void outer_block(Real const* x, index x_stride, Real const* g, index m, Real* gw, index gw_stride,
                                   index count) {
  constexpr index width = lanes<Real, Arch>;
  index const count_low = count < width ? count : width;
  index const count_high = count - count_low;
  [&]<index... I>(std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    batch<Real, Arch> low[Rows] = {rt::load<Arch>(gw + I * gw_stride, count_low)...};
    batch<Real, Arch> high[Rows] = {rt::load<Arch>(gw + I * gw_stride + width, count_high)...};
#pragma GCC unroll 1
    for (index i = 0; i < m; ++i) {
      batch<Real, Arch> const g_low = batch<Real, Arch>::load_aligned(g);
      batch<Real, Arch> const g_high = batch<Real, Arch>::load_aligned(g + width);
      auto const row = [&](Real const* from, batch<Real, Arch>& l, batch<Real, Arch>& h) __attribute__((always_inline)) {
        batch<Real, Arch> const value = broadcast<Arch>(*from);
        l = multiply_add(value, g_low, l);
        h = multiply_add(value, g_high, h);
      };
      (row(x + I, low[I], high[I]), ...);
      __builtin_prefetch(x + outer_ahead * x_stride);
      __builtin_prefetch(x + outer_ahead * x_stride + Rows - 1);
      x += x_stride;
      g += 2 * width;
    }
    (rt::store<Arch>(gw + I * gw_stride, low[I], count_low), ...);
    (rt::store<Arch>(gw + I * gw_stride + width, high[I], count_high), ...);
  }(std::make_integer_sequence<index, Rows>{});
}

template <class Real>
using outer_kernel = void (*)(Real const*, index, Real const*, index, Real*, index, index);

/// outer_block for `rows` rows, 1 <= rows <= kernel_rows.
template <class Arch, class Real>
[[gnu::always_inline]] inline outer_kernel<Real> outer_block_for(index rows) {
  return []<index... I>(index r, std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    static constexpr outer_kernel<Real> table[] = {&outer_block<Arch, Real, I + 1>...};
    return table[r - 1];
  }(rows, std::make_integer_sequence<index, kernel_rows<Arch>>{});
}

/// The block of x that stays in L2 while the strips of g pass by.
inline constexpr index outer_bytes = index{1} << 19;

/// The rows of x and g between two visits of gw: a strip of g, two registers wide and copied together, stays in L1.
inline constexpr index outer_rows = 256;

}  // namespace detail

/// gw(p, j) += sum_i x(i, p) g(i, j) for p in [first_row, last_row): threads that split p share no output.
/// x: (m, k), g: (m, n), gw: (k, n). One fma chain from gw in the order of i, however p is split.
template <class Arch, class Real>
void accumulate_outer(matrix<std::type_identity_t<Real> const> x, matrix<std::type_identity_t<Real> const> g, matrix<Real> gw,
                      index first_row, index last_row) {
  constexpr index width = lanes<Real, Arch>;
  if (last_row <= first_row) return;
  alignas(64) Real strip[detail::outer_rows * 2 * width];
  detail::row_blocks const bands(x.rows, detail::outer_rows);
  for (index band = 0; band < bands.count; ++band) {
    index const i = bands.first(band);
    index const m = bands.rows(band);
    index const most = detail::outer_bytes / (m * static_cast<index>(sizeof(Real))) / kernel_rows<Arch> * kernel_rows<Arch>;
    detail::row_blocks const parts(last_row - first_row, most);
    for (index part = 0; part < parts.count; ++part) {
      index const part_first = first_row + parts.first(part);
      detail::row_blocks const blocks(parts.rows(part), kernel_rows<Arch>);
      for (index column = 0; column < g.columns; column += 2 * width) {
        index const count = g.columns - column < 2 * width ? g.columns - column : 2 * width;
        index const count_low = count < width ? count : width;
        for (index r = 0; r < m; ++r) {
          rt::load<Arch>(g.row(i + r) + column, count_low).store_aligned(strip + r * 2 * width);
          rt::load<Arch>(g.row(i + r) + column + count_low, count - count_low).store_aligned(strip + r * 2 * width + width);
        }
        for (index b = 0; b < blocks.count; ++b) {
          index const p = part_first + blocks.first(b);
          index const rows = blocks.rows(b);
          index const ahead = b + 1 < blocks.count ? blocks.rows(b + 1) : 0;
          for (index r = 0; r < ahead; ++r) {
            __builtin_prefetch(gw.row(p + rows + r) + column, 1);
            __builtin_prefetch(gw.row(p + rows + r) + column + width, 1);
          }
          detail::outer_block_for<Arch, Real>(rows)(x.row(i) + p, x.stride, strip, m, gw.row(p) + column, gw.stride, count);
        }
      }
    }
  }
}

/// gb(j) += sum_i g(i, j), in the order of i.  g: (m, n), gb: (n).
template <class Arch, class Real>
void accumulate_column_sums(matrix<std::type_identity_t<Real> const> g, Real* gb) {
  constexpr index width = lanes<Real, Arch>;
  index j = 0;
  for (; j + 4 * width <= g.columns; j += 4 * width) {
    batch<Real, Arch> s0 = rt::load<Arch>(gb + j), s1 = rt::load<Arch>(gb + j + width);
    batch<Real, Arch> s2 = rt::load<Arch>(gb + j + 2 * width), s3 = rt::load<Arch>(gb + j + 3 * width);
    for (index i = 0; i < g.rows; ++i) {
      Real const* const row = g.row(i) + j;
      s0 += rt::load<Arch>(row);
      s1 += rt::load<Arch>(row + width);
      s2 += rt::load<Arch>(row + 2 * width);
      s3 += rt::load<Arch>(row + 3 * width);
    }
    rt::store<Arch>(gb + j, s0);
    rt::store<Arch>(gb + j + width, s1);
    rt::store<Arch>(gb + j + 2 * width, s2);
    rt::store<Arch>(gb + j + 3 * width, s3);
  }
  for (; j < g.columns; j += width) {
    index const count = g.columns - j < width ? g.columns - j : width;
    batch<Real, Arch> sum = rt::load<Arch>(gb + j, count);
    for (index i = 0; i < g.rows; ++i) sum += rt::load<Arch>(g.row(i) + j, count);
    rt::store<Arch>(gb + j, sum, count);
  }
}

}  // namespace residua::rt
