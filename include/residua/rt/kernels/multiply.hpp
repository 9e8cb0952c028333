// Matrix products: y = epilogue(x w) with packed weights.
// One micro-kernel keeps a block of rows x 2 registers in registers for all of k, so a sum is one chain of fma in the
// order of p whatever rows share the block: a row's result depends on that row alone, bit for bit.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/activation.hpp>
#include <residua/rt/kernels/elementwise.hpp>
#include <residua/rt/kernels/epilogue.hpp>
#include <residua/rt/kernels/pack.hpp>

#include <utility>

namespace residua::rt {

/// What an epilogue sees of the element group y(row, column .. column + count): where it is, and how to reach its peers.
template <class Arch, class Real>
struct position {
  index row;
  index column;
  index count;

  /// m(row, column ..), zero beyond count.
  [[gnu::always_inline]] batch<Real, Arch> load(matrix<Real const> const& m) const {
    return rt::load<Arch>(m.row(row) + column, count);
  }

  /// vector[column ..], zero beyond count.
  [[gnu::always_inline]] batch<Real, Arch> load(Real const* vector) const { return rt::load<Arch>(vector + column, count); }

  /// m(row, column ..) = value on the valid lanes.
  [[gnu::always_inline]] void store(matrix<Real> const& m, batch<Real, Arch> const& value) const {
    rt::store<Arch>(m.row(row) + column, value, count);
  }
};

namespace detail {

/// Weights to bring into L2 while a block is computed: `step` bytes further for each p.
struct prefetch_stream {
  char const* from;
  index step;
};

/// sums(i, 0 .. 2 lanes) = sum over p of x(i, p) w(p, ..), i < Rows; w steps by a panel row, sums are contiguous.
template <class Arch, class Real, class Weight, index Rows>
[[gnu::noinline]] void multiply_block(Real const* x, index stride, Weight const* w, index k, Real* sums, prefetch_stream next) {
  constexpr index width = lanes<Real, Arch>;
  [&]<index... I>(std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    // Three rows share a base, which is what x86 addressing reaches with one stride register.
    Real const* base[(Rows + 2) / 3];
    ((base[I / 3] = x + I / 3 * 3 * stride), ...);
    batch<Real, Arch> low[Rows] = {(static_cast<void>(I), batch<Real, Arch>(Real(0)))...};
    batch<Real, Arch> high[Rows] = {(static_cast<void>(I), batch<Real, Arch>(Real(0)))...};
#pragma GCC unroll 1  // unrolled, clang gathers the broadcasts of several steps and spills them
    for (index p = 0; p < k; ++p) {
      batch<Real, Arch> const w_low = load_weights<Arch, Real>(w);
      batch<Real, Arch> const w_high = load_weights<Arch, Real>(w + width);
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

template <class Real, class Weight>
using multiply_kernel = void (*)(Real const*, index, Weight const*, index, Real*, prefetch_stream);

/// multiply_block for `rows` rows, 1 <= rows <= kernel_rows.
template <class Arch, class Real, class Weight>
[[gnu::always_inline]] inline multiply_kernel<Real, Weight> multiply_block_for(index rows) {
  static_assert(sizes_fit<Arch, Real>);
  return []<index... I>(index r, std::integer_sequence<index, I...>) __attribute__((always_inline)) {
    static constexpr multiply_kernel<Real, Weight> table[] = {&multiply_block<Arch, Real, Weight, I + 1>...};
    return table[r - 1];
  }(rows, std::make_integer_sequence<index, kernel_rows<Arch>>{});
}

/// Rows of x that take at most `band_bytes`, which leaves L2 room for a panel.
inline constexpr index band_bytes = index{1} << 20;
template <class Arch, class Real>
[[gnu::always_inline]] inline index band_rows(index k) {
  index const rows = band_bytes / (static_cast<index>(sizeof(Real)) * (k > 0 ? k : 1));
  return rows > 2 * kernel_rows<Arch> ? rows / kernel_rows<Arch> * kernel_rows<Arch> : 2 * kernel_rows<Arch>;
}

/// Calls finish(sums, row, column) for each block of the product: sums(0, 0) is that of y(row, column). y is fetched before,
/// where there is one.
template <class Arch, class Real, class Weight, class Finish>
[[gnu::always_inline]] inline void multiply_blocks(matrix<Real const> const& x, packed_view<Weight, Real> const& w,
                                                   matrix<Real> const& y, Finish const& finish) {
  constexpr index width = lanes<Real, Arch>;
  constexpr index parts = panel<Real> / (2 * width);
  index const k = w.rows;
  index const n = w.columns;
  alignas(64) Real sums[kernel_rows<Arch> * 2 * width];

  // Bands of rows stay in L2 while the panels pass by; each panel fetches the next one.
  row_blocks const bands(x.rows, band_rows<Arch, Real>(k));
  for (index band = 0; band < bands.count; ++band) {
    index const band_first = bands.first(band);
    row_blocks const blocks(bands.rows(band), kernel_rows<Arch>);
    constexpr index panel_row_bytes = panel<Real> * static_cast<index>(sizeof(Weight));
    index const fetch_step = (panel_row_bytes + blocks.count * parts - 1) / (blocks.count * parts);
    for (index column = 0; column < n; column += 2 * width) {
      index const panel_first = column / panel<Real> * panel<Real>;
      index const part = (column - panel_first) / (2 * width);
      Weight const* const weights = w.panel_data(panel_first) + (column - panel_first);
      char const* const next =
          reinterpret_cast<char const*>(w.panel_data(panel_first + panel<Real> < n ? panel_first + panel<Real> : 0));
      for (index b = 0; b < blocks.count; ++b) {
        index const first = band_first + blocks.first(b);
        index const rows = blocks.rows(b);
        if (y.data)
          for (index i = 0; i < rows; ++i) __builtin_prefetch(y.row(first + i) + column, 1);
        multiply_block_for<Arch, Real, Weight>(rows)(x.row(first), x.stride, weights, k, sums,
                                                     {next + (part * blocks.count + b) * k * fetch_step, fetch_step});
        finish(matrix<Real>{sums, rows, smaller(n - column, 2 * width), 2 * width}, first, column);
      }
    }
  }
}

/// Calls body(row, column, count) for each register of a block of sums.
template <class Arch, class Real, class Body>
[[gnu::always_inline]] inline void for_each_sum(matrix<Real> const& sums, Body const& body) {
  constexpr index width = lanes<Real, Arch>;
  if (sums.columns == 2 * width) {
    for (index i = 0; i < sums.rows; ++i) {
      body(i, 0, width);
      body(i, width, width);
    }
  } else {
    for (index i = 0; i < sums.rows; ++i)
      for (index j = 0; j < sums.columns; j += width) body(i, j, smaller(sums.columns - j, width));
  }
}

/// The sums of a block after one part of an epilogue: rows of two registers, which stand for y(row .., column .. + columns).
template <class Arch, class Real>
[[gnu::noinline]] void apply(epilogue_part<Real> const& part, Real* sums, index rows, index columns, index row, index column) {
  using step = typename epilogue_part<Real>::step;
  using lanes_type = batch<Real, Arch>;
  matrix<Real> const block{sums, rows, columns, 2 * lanes<Real, Arch>};
  auto const of = [&](auto const& m)
                      __attribute__((always_inline)) { return m.rows_from(row, rows).columns_from(column, columns); };
  // s = f(s, beside) with the elements at the same place of a matrix, or of a vector in each row.
  auto const each = [&](Real const* beside, index stride, auto const& f) __attribute__((always_inline)) {
    for_each_sum<Arch>(block, [&](index i, index j, index count) __attribute__((always_inline)) {
      Real* const sum = block.row(i) + j;
      lanes_type const s = f(lanes_type::load_aligned(sum), rt::load<Arch>(beside + i * stride + j, count));
      s.store_aligned(sum);
    });
  };
  auto const with_matrix = [&](auto const& f)
                               __attribute__((always_inline)) { each(part.read.row(row) + column, part.read.stride, f); };
  auto const with_vector = [&](auto const& f) __attribute__((always_inline)) { each(part.vector + column, 0, f); };
  switch (part.what) {
    case step::plus_vector: return with_vector([](auto s, auto v) __attribute__((always_inline)) { return s + v; });
    case step::plus: return with_matrix([](auto s, auto m) __attribute__((always_inline)) { return s + m; });
    case step::minus: return with_matrix([](auto s, auto m) __attribute__((always_inline)) { return s - m; });
    case step::subtracted_from: return with_matrix([](auto s, auto m) __attribute__((always_inline)) { return m - s; });
    case step::times: return with_matrix([](auto s, auto m) __attribute__((always_inline)) { return s * m; });
    case step::scaled: return rt::scale<Arch, Real>(part.number, block, block);
    case step::scaled_columns: return with_vector([](auto s, auto v) __attribute__((always_inline)) { return s * v; });
    case step::scaled_rows: return rt::scale_rows<Arch, Real>(part.read.rows_from(row, rows), block, block);
    case step::shifted: return rt::shift<Arch, Real>(Real(1), block, part.number, block);
    case step::activated: {
      matrix<Real> const all = as_row(sums, rows * block.stride);  // whole registers, with lanes that no one wants
      return activate_registers<Arch, Real>(part.function, all, all);
    }
    case step::sloped: return rt::slope<Arch, Real>(part.function, of(part.read), block, block);
    case step::kept: return rt::copy<Arch, Real>(block, of(part.written));
  }
}

}  // namespace detail

/// y(i, j) = epilogue(sum_p x(i, p) w(p, j), position(i, j)), the epilogue a function in the caller's own code.
/// x: (m, k), w: (k, n), y: (m, n), any extent may be 0; with k = 0 the sum is 0. y.data may be null when the epilogue stores.
/// The epilogue takes (batch, position) and gives a batch; it may read y at its position, where nothing is written before.
/// Lanes beyond position.count hold arbitrary values and are not stored. y must not overlap x.
template <class Arch, class Real, class Weight, class Epilogue>
void multiply_with(matrix<std::type_identity_t<Real> const> const& x, packed_view<Weight, Real> const& w,
                   matrix<std::type_identity_t<Real>> const& y, Epilogue const& epilogue) {
  detail::multiply_blocks<Arch, Real, Weight>(
      x, w, y, [&](matrix<Real> const& sums, index row, index column) __attribute__((always_inline)) {
        detail::for_each_sum<Arch>(sums, [&](index i, index j, index count) __attribute__((always_inline)) {
          position<Arch, Real> const at{row + i, column + j, count};
          batch<Real, Arch> const value = epilogue(batch<Real, Arch>::load_aligned(sums.row(i) + j), at);
          if (y.data) at.store(y, value);
        });
      });
}

/// y = epilogue(x w), the epilogue's parts from left to right.
/// x: (m, k), w: (k, n), y: (m, n), any extent may be 0; with k = 0 the sum is 0. y.data may be null when a part keeps the
/// result. Parts may read y, each element before it is written. y must not overlap x.
template <class Arch, class Real, class Weight = Real>
void multiply(matrix<Real const> x, packed_view<Weight, Real> w, matrix<Real> y, epilogue<Real> after) {
  detail::multiply_blocks<Arch, Real, Weight>(
      x, w, y, [&](matrix<Real> const& sums, index row, index column) __attribute__((always_inline)) {
        for (index i = 0; i < after.count; ++i)
          detail::apply<Arch>(after.parts[i], sums.data, sums.rows, sums.columns, row, column);
        if (!y.data) return;
        matrix<Real> const to = y.rows_from(row, sums.rows).columns_from(column, sums.columns);
        detail::for_each_sum<Arch>(sums, [&](index i, index j, index count) __attribute__((always_inline)) {
          rt::store<Arch>(to.row(i) + j, batch<Real, Arch>::load_aligned(sums.row(i) + j), count);
        });
      });
}

}  // namespace residua::rt
