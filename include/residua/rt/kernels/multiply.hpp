// Matrix products: y = epilogue(x w) with packed weights, and the weight gradient gw += x^T g.
// One micro-kernel keeps a block of rows x 2 registers in registers for all of k, so a sum is one chain of fma in the
// order of p whatever rows share the block: a row's result depends on that row alone, bit for bit.
#pragma once

#include <residua/rt/core/matrix.hpp>
#include <residua/rt/kernels/pack.hpp>
#include <residua/rt/core/simd.hpp>

#include <utility>

namespace residua::rt {

/// What an epilogue sees of the element group y(row, column .. column + count): where it is, and how to reach its peers.
template <class Arch, class Real>
struct position {
  index row;
  index column;
  index count;

  /// m(row, column ..), zero beyond count.
  [[gnu::always_inline]] batch<Real, Arch> load(matrix<Real const> m) const { return rt::load<Arch>(m.row(row) + column, count); }

  /// vector[column ..], zero beyond count.
  [[gnu::always_inline]] batch<Real, Arch> load(Real const* vector) const { return rt::load<Arch>(vector + column, count); }

  /// m(row, column ..) = value on the valid lanes.
  [[gnu::always_inline]] void store(matrix<Real> m, batch<Real, Arch> const& value) const {
    rt::store<Arch>(m.row(row) + column, value, count);
  }
};

namespace detail {

/// Rows of the micro-kernel: with two registers a row, the sums fill all registers but the operands'.
template <class Arch>
inline constexpr index kernel_rows = 5;
template <>
inline constexpr index kernel_rows<avx2> = 6;
template <>
inline constexpr index kernel_rows<avx512> = 14;
#if !defined(__x86_64__)
template <>
inline constexpr index kernel_rows<baseline> = 12;
#endif

/// Weights to bring into L2 while a block is computed: `step` bytes further for each p.
struct prefetch_stream {
  char const* from;
  index step;
};

/// sums(i, 0 .. 2 lanes) = sum over p of x(i, p) w(p, ..), i < Rows; w steps by a panel row, sums are contiguous.
template <class Arch, class Real, index Rows>
[[gnu::noinline]] void multiply_block(Real const* x, index stride, Real const* w, index k, Real* sums, prefetch_stream next) {
  constexpr index width = lanes<Real, Arch>;
  [&]<index... I>(std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    // Three rows share a base, which is what x86 addressing reaches with one stride register.
    Real const* base[(Rows + 2) / 3];
    ((base[I / 3] = x + I / 3 * 3 * stride), ...);
    batch<Real, Arch> low[Rows] = {(static_cast<void>(I), batch<Real, Arch>(Real(0)))...};
    batch<Real, Arch> high[Rows] = {(static_cast<void>(I), batch<Real, Arch>(Real(0)))...};
#pragma GCC unroll 1  // unrolled, clang gathers the broadcasts of several steps and spills them
    for (index p = 0; p < k; ++p) {
      batch<Real, Arch> const w_low = rt::load<Arch>(w);
      batch<Real, Arch> const w_high = rt::load<Arch>(w + width);
      auto const row = [&](Real const* from, batch<Real, Arch>& l, batch<Real, Arch>& h) __attribute__((always_inline)) {
        batch<Real, Arch> const value = broadcast<Arch>(*from);
        l = multiply_add(value, w_low, l);
        h = multiply_add(value, w_high, h);
      };
      (row(base[I / 3] + I % 3 * stride, low[I], high[I]), ...);
      ((I % 3 == 0 ? static_cast<void>(++base[I / 3]) : static_cast<void>(0)), ...);
      w += panel<Real>;
      __builtin_prefetch(next.from, 0, 2);
      next.from += next.step;
    }
    (rt::store<Arch>(sums + I * 2 * width, low[I]), ...);
    (rt::store<Arch>(sums + I * 2 * width + width, high[I]), ...);
  }(std::make_integer_sequence<index, Rows>{});
}

template <class Real>
using multiply_kernel = void (*)(Real const*, index, Real const*, index, Real*, prefetch_stream);

/// multiply_block for `rows` rows, 1 <= rows <= kernel_rows.
template <class Arch, class Real>
[[gnu::always_inline]] inline multiply_kernel<Real> multiply_block_for(index rows) {
  return []<index... I>(index r, std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    static constexpr multiply_kernel<Real> table[] = {&multiply_block<Arch, Real, I + 1>...};
    return table[r - 1];
  }(rows, std::make_integer_sequence<index, kernel_rows<Arch>>{});
}

/// Cuts m rows into as few blocks of at most `most` rows as possible, as even as possible: block b is [first(b), first(b + 1)).
struct row_blocks {
  index count;
  index size;
  index larger;
  [[gnu::always_inline]] row_blocks(index m, index most)
      : count((m + most - 1) / most), size(count ? m / count : 0), larger(count ? m % count : 0) {}
  [[gnu::always_inline]] index first(index b) const { return b * size + (b < larger ? b : larger); }
};

/// Rows of x that take at most `band_bytes`, which leaves L2 room for a panel.
inline constexpr index band_bytes = index{1} << 20;
template <class Arch, class Real>
[[gnu::always_inline]] inline index band_rows(index k) {
  index const rows = band_bytes / (static_cast<index>(sizeof(Real)) * (k > 0 ? k : 1));
  return rows > 2 * kernel_rows<Arch> ? rows / kernel_rows<Arch> * kernel_rows<Arch> : 2 * kernel_rows<Arch>;
}

}  // namespace detail

/// y(i, j) = epilogue(sum_p x(i, p) w(p, j), position(i, j)).
/// x: (m, k), w: (k, n), y: (m, n), any extent may be 0; with k = 0 the sum is 0. y.data may be null when the epilogue stores.
/// The epilogue takes (batch, position) and gives a batch; it may read y at its position, where nothing is written before.
/// Lanes beyond position.count hold arbitrary values and are not stored. y must not overlap x.
template <class Arch, class Real, class Epilogue>
void multiply(matrix<std::type_identity_t<Real> const> x, packed_view<Real> w, matrix<std::type_identity_t<Real>> y,
              Epilogue const& epilogue) {
  constexpr index width = lanes<Real, Arch>;
  constexpr index parts = panel<Real> / (2 * width);
  index const k = w.rows;
  index const n = w.columns;
  alignas(64) Real sums[detail::kernel_rows<Arch> * 2 * width];
  auto const emit = [&](index row, index column, Real const* sum, index count) __attribute__((always_inline)) {
    position<Arch, Real> const at{row, column, count};
    batch<Real, Arch> const value = epilogue(batch<Real, Arch>::load_aligned(sum), at);
    if (y.data) at.store(y, value);
  };

  // Bands of rows stay in L2 while the panels pass by; each panel fetches the next one.
  detail::row_blocks const bands(x.rows, detail::band_rows<Arch, Real>(k));
  for (index band = 0; band < bands.count; ++band) {
    index const band_first = bands.first(band);
    detail::row_blocks const blocks(bands.first(band + 1) - band_first, detail::kernel_rows<Arch>);
    index const fetch_step = (panel_bytes + blocks.count * parts - 1) / (blocks.count * parts);
    for (index column = 0; column < n; column += 2 * width) {
      index const panel_first = column / panel<Real> * panel<Real>;
      index const part = (column - panel_first) / (2 * width);
      Real const* const weights = w.panel_data(panel_first) + (column - panel_first);
      char const* const next =
          reinterpret_cast<char const*>(w.panel_data(panel_first + panel<Real> < n ? panel_first + panel<Real> : 0));
      for (index b = 0; b < blocks.count; ++b) {
        index const first = band_first + blocks.first(b);
        index const rows = blocks.first(b + 1) - blocks.first(b);
        if (y.data)
          for (index i = 0; i < rows; ++i) __builtin_prefetch(y.row(first + i) + column, 1);
        detail::multiply_block_for<Arch, Real>(rows)(x.row(first), x.stride, weights, k, sums,
                                                     {next + (part * blocks.count + b) * k * fetch_step, fetch_step});
        if (n - column >= 2 * width) {
          for (index i = 0; i < rows; ++i) {
            emit(first + i, column, sums + i * 2 * width, width);
            emit(first + i, column + width, sums + i * 2 * width + width, width);
          }
        } else {
          for (index i = 0; i < rows; ++i)
            for (index j = 0; column + j < n; j += width)
              emit(first + i, column + j, sums + i * 2 * width + j, n - column - j < width ? n - column - j : width);
        }
      }
    }
  }
}

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
    index const m = bands.first(band + 1) - i;
    index const most =
        detail::outer_bytes / (m * static_cast<index>(sizeof(Real))) / detail::kernel_rows<Arch> * detail::kernel_rows<Arch>;
    detail::row_blocks const parts(last_row - first_row, most);
    for (index part = 0; part < parts.count; ++part) {
      index const part_first = first_row + parts.first(part);
      detail::row_blocks const blocks(parts.first(part + 1) - parts.first(part), detail::kernel_rows<Arch>);
      for (index column = 0; column < g.columns; column += 2 * width) {
        index const count = g.columns - column < 2 * width ? g.columns - column : 2 * width;
        index const count_low = count < width ? count : width;
        for (index r = 0; r < m; ++r) {
          rt::load<Arch>(g.row(i + r) + column, count_low).store_aligned(strip + r * 2 * width);
          rt::load<Arch>(g.row(i + r) + column + count_low, count - count_low).store_aligned(strip + r * 2 * width + width);
        }
        for (index b = 0; b < blocks.count; ++b) {
          index const p = part_first + blocks.first(b);
          index const rows = blocks.first(b + 1) - blocks.first(b);
          index const ahead = b + 1 < blocks.count ? blocks.first(b + 2) - blocks.first(b + 1) : 0;
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
