// Weights in the order in which the product reads them.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// A panel holds this much of a row of the weights: two AVX-512 registers, four AVX2 ones, eight of 128 bits.
inline constexpr index panel_bytes = 128;
template <class Real>
inline constexpr index panel = panel_bytes / static_cast<index>(sizeof(Real));

/// Packed weights (k, n) as the kernels take them: element (p, j) at data[(j / panel) k panel + p panel + j % panel].
template <class Real>
struct packed_view {
  Real const* data = nullptr;
  index rows = 0;
  index columns = 0;

  /// The panel that holds column j, j a multiple of panel<Real>.
  [[gnu::always_inline]] Real const* panel_data(index j) const { return data + j / panel<Real> * rows * panel<Real>; }

  /// The columns [first, first + count), first a multiple of panel<Real>: how threads share one product.
  [[gnu::always_inline]] packed_view columns_from(index first, index count) const { return {panel_data(first), rows, count}; }
};

/// Owns packed weights; the columns beyond n of the last panel are zero.
template <class Real>
class packed_matrix {
 public:
  packed_matrix() = default;

  index rows() const { return rows_; }
  index columns() const { return columns_; }
  Real const* panel_data(index j) const { return view().panel_data(j); }
  packed_view<Real> view() const { return {buffer_.data(), rows_, columns_}; }

  /// Packs w: (k, n), row-major. Keeps its memory when the extents are those it has.
  void pack(Real const* w, index k, index n) { pack_strided(w, k, n, n, 1); }

  /// Packs the transpose of w: (n, k), row-major, as (k, n).
  void pack_transposed(Real const* w, index k, index n) { pack_strided(w, k, n, 1, k); }

 private:
  void pack_strided(Real const* w, index k, index n, index row_step, index column_step) {
    constexpr index width = panel<Real>;
    if (k != rows_ || n != columns_ || buffer_.size() == 0) {
      buffer_ = aligned_buffer<Real>((n + width - 1) / width * width * k);
      rows_ = k;
      columns_ = n;
    }
    for (index first = 0; first < n; first += width) {
      Real* to = buffer_.data() + first * k;
      index const count = n - first < width ? n - first : width;
      for (index p = 0; p < k; ++p, to += width)
        for (index j = 0; j < count; ++j) to[j] = w[p * row_step + (first + j) * column_step];
    }
  }

  aligned_buffer<Real> buffer_;
  index rows_ = 0;
  index columns_ = 0;
};

}  // namespace residua::rt
