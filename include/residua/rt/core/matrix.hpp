// The one argument type of every kernel: a view of a row-major matrix whose rows may be padded.
#pragma once

#include <cstddef>
#include <type_traits>

namespace residua::rt {

using index = std::ptrdiff_t;

/// Whether kernels take the constants of float, or those of double.
template <class Real>
inline constexpr bool is_float = std::is_same_v<std::remove_const_t<Real>, float>;

/// A view of `rows` x `columns` elements, row i starting at data + i * stride; copying it copies no element.
/// Every member is always inlined: the instruction-set translation units must not share a symbol.
template <class Real>
struct matrix {
  Real* data = nullptr;
  index rows = 0;
  index columns = 0;
  index stride = 0;

  [[gnu::always_inline]] Real* row(index i) const { return data + i * stride; }

  /// The rows [first, first + count).
  [[gnu::always_inline]] matrix rows_from(index first, index count) const {
    return {data + first * stride, count, columns, stride};
  }

  /// The columns [first, first + count).
  [[gnu::always_inline]] matrix columns_from(index first, index count) const { return {data + first, rows, count, stride}; }

  [[gnu::always_inline]] operator matrix<Real const>() const
    requires(!std::is_const_v<Real>)
  {
    return {data, rows, columns, stride};
  }
};

/// A vector of n elements as a matrix of one row.
template <class Real>
[[gnu::always_inline]] inline matrix<Real> as_row(Real* v, index n) {
  return {v, 1, n, n};
}

}  // namespace residua::rt
