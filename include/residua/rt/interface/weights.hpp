// A kernel's own copy of its parameters, in the order in which tiles read them. Baseline code.
#pragma once

#include <residua/rt/kernels/pack.hpp>

#include <memory>
#include <mutex>

namespace residua::rt {

/// A weight matrix packed for x W, and, from the first gradient on, for g W^T as well.
/// Const use is safe from several threads.
template <class Real>
class packed_weights {
 public:
  /// w: (k, n), row-major
  void pack(Real const* w, index k, index n) {
    packed_.pack(w, k, n);
    transposed_ = std::make_unique<once>();
  }

  packed_view<Real> view() const { return packed_.view(); }

  /// The transpose (n, k), packed when it is first asked for.
  packed_view<Real> transposed() const {
    std::call_once(transposed_->flag, [&] {
      packed_view<Real> const w = packed_.view();
      aligned_buffer<Real> row_major(w.rows * w.columns);
      for (index j = 0; j < w.columns; ++j) {
        Real const* const column = w.panel_data(j / panel<Real> * panel<Real>) + j % panel<Real>;
        for (index p = 0; p < w.rows; ++p) row_major.data()[p * w.columns + j] = column[p * panel<Real>];
      }
      transposed_->matrix.pack_transposed(row_major.data(), w.columns, w.rows);
    });
    return transposed_->matrix.view();
  }

 private:
  struct once {
    std::once_flag flag;
    packed_matrix<Real> matrix;
  };
  packed_matrix<Real> packed_;
  std::unique_ptr<once> transposed_ = std::make_unique<once>();
};

/// A vector or scalar parameter.
template <class Real>
class vector_weights {
 public:
  void copy(Real const* v, index count) {
    if (count != buffer_.size()) buffer_ = aligned_buffer<Real>(count);
    for (index i = 0; i < count; ++i) buffer_.data()[i] = v[i];
  }
  Real const* view() const { return buffer_.data(); }

 private:
  aligned_buffer<Real> buffer_;
};

}  // namespace residua::rt
