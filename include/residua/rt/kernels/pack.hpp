// Weights in the order in which the product reads them.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// Packed weights (k, n) as the kernels take them: element (p, j) at data[(j / panel) k panel + p panel + j % panel] with
/// panel = panel<Real>. They are stored as Weight and computed with as Real.
template <class Weight, class Real = Weight>
struct packed_view {
  Weight const* data = nullptr;
  index rows = 0;
  index columns = 0;

  /// The panel that holds column j, j a multiple of panel<Real>.
  [[gnu::always_inline]] Weight const* panel_data(index j) const { return data + j / panel<Real> * rows * panel<Real>; }

  /// The columns [first, first + count), first a multiple of panel<Real>: how threads share one product.
  [[gnu::always_inline]] packed_view columns_from(index first, index count) const { return {panel_data(first), rows, count}; }
};

/// Owns packed weights; the columns beyond n of the last panel are zero.
template <class Weight, class Real = Weight>
class packed_matrix {
 public:
  packed_matrix() = default;

  index rows() const { return rows_; }
  index columns() const { return columns_; }
  Weight const* panel_data(index j) const { return view().panel_data(j); }
  packed_view<Weight, Real> view() const { return {buffer_.data(), rows_, columns_}; }

  /// Packs w: (k, n), row-major. Keeps its memory when the extents are those it has.
  void pack(Real const* w, index k, index n) { pack_strided(w, k, n, n, 1); }

  /// Packs the transpose of w: (n, k), row-major, as (k, n).
  void pack_transposed(Real const* w, index k, index n) { pack_strided(w, k, n, 1, k); }

 private:
  void pack_strided(Real const* w, index k, index n, index row_step, index column_step) {
    constexpr index width = panel<Real>;
    if (k != rows_ || n != columns_ || buffer_.size() == 0) {
      buffer_ = aligned_buffer<Weight>((n + width - 1) / width * width * k);
      rows_ = k;
      columns_ = n;
    }
    for (index first = 0; first < n; first += width) {
      Weight* to = buffer_.data() + first * k;
      index const count = n - first < width ? n - first : width;
      for (index p = 0; p < k; ++p, to += width)
        for (index j = 0; j < count; ++j) to[j] = static_cast<Weight>(w[p * row_step + (first + j) * column_step]);
    }
  }

  aligned_buffer<Weight> buffer_;
  index rows_ = 0;
  index columns_ = 0;
};

}  // namespace residua::rt
