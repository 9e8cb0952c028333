// A kernel's own copy of its parameters, in the order in which tiles read them. Compiled into the package's library.
#pragma once

#include <residua/rt/interface/block.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace residua::rt {

namespace detail {

/// Elements of a packed matrix (k, n), its last panel whole.
template <class Real>
index packed_size(index k, index n) {
  return (n + panel<Real> - 1) / panel<Real> * panel<Real> * k;
}

/// w: (k, n), row-major. Leaves the columns beyond n of the last panel alone.
template <class Real>
void pack_into(Real const* w, index k, index n, Real* to) {
  for (index first = 0; first < n; first += panel<Real>, to += k * panel<Real>) {
    index const count = n - first < panel<Real> ? n - first : panel<Real>;
    for (index p = 0; p < k; ++p)
      for (index j = 0; j < count; ++j) to[p * panel<Real> + j] = w[p * n + first + j];
  }
}

/// Packs the transpose of packed weights, panel by panel.
template <class Real>
void transpose_into(packed_view<Real> const& w, Real* to) {
  constexpr index width = panel<Real>;
  for (index p = 0; p < w.rows; p += width)
    for (index j = 0; j < w.columns; j += width) {
      Real const* const from = w.panel_data(j) + p * width;
      Real* const into = to + p * w.columns + j * width;
      index const rows = w.rows - p < width ? w.rows - p : width;
      index const columns = w.columns - j < width ? w.columns - j : width;
      for (index b = 0; b < columns; ++b)
        for (index a = 0; a < rows; ++a) into[b * width + a] = from[a * width + b];
    }
}

}  // namespace detail

/// Weights packed for x W and, from the first gradient on, for g W^T as well; vectors and scalars as they are. Const use is
/// safe from several threads.
template <class Real>
class packed_parameters {
 public:
  /// Takes the memory for all; throws std::bad_alloc.
  packed_parameters(std::span<parameter_description const> list, index const* sizes) : operands_(list.size()) {
    memory_.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      index elements = 1;
      for (axis_description const& axis : list[i].axes) elements *= axis.extent.in(sizes);
      if (list[i].is_matrix()) {
        index const k = list[i].axes[0].extent.in(sizes), n = list[i].axes[1].extent.in(sizes);
        memory_.emplace_back(detail::packed_size<Real>(k, n));
        operands_[i].matrix = {memory_.back().data(), k, n};
      } else {
        memory_.emplace_back(elements);
        operands_[i].vector = memory_.back().data();
      }
    }
  }

  /// Packs all of them anew, where the block's list has them; takes no memory, so it cannot fail half-way.
  void pack(std::span<Real const* const> parameters) noexcept {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      packed_view<Real> const& w = operands_[i].matrix;
      if (operands_[i].vector) std::copy_n(parameters[i], memory_[i].size(), memory_[i].data());
      else detail::pack_into(parameters[i], w.rows, w.columns, memory_[i].data());
    }
    transposed_are_packed_.store(false, std::memory_order_relaxed);
  }

  operand<Real> const* operands() const { return operands_.data(); }

  /// With the transposed weights, which are packed when they are first asked for. Throws std::bad_alloc, the first time only.
  operand<Real> const* with_transposed() const {
    if (!transposed_are_packed_.load(std::memory_order_acquire)) {
      std::lock_guard const one_at_a_time(transposing_);
      if (!transposed_are_packed_.load(std::memory_order_relaxed)) pack_transposed();
    }
    return transposed_operands_.data();
  }

 private:
  void pack_transposed() const {
    if (transposed_operands_.empty()) {
      std::vector<operand<Real>> operands = operands_;
      std::vector<aligned_buffer<Real>> memory(operands.size());
      for (std::size_t i = 0; i < operands.size(); ++i) {
        packed_view<Real> const& w = operands[i].matrix;
        if (operands[i].vector) continue;
        memory[i] = aligned_buffer<Real>(detail::packed_size<Real>(w.columns, w.rows));
        operands[i].transposed = {memory[i].data(), w.columns, w.rows};
      }
      transposed_memory_ = std::move(memory);
      transposed_operands_ = std::move(operands);
    }
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].vector) detail::transpose_into(operands_[i].matrix, transposed_memory_[i].data());
    transposed_are_packed_.store(true, std::memory_order_release);
  }

  std::vector<aligned_buffer<Real>> memory_;
  std::vector<operand<Real>> operands_;
  mutable std::mutex transposing_;
  mutable std::atomic<bool> transposed_are_packed_ = false;
  mutable std::vector<aligned_buffer<Real>> transposed_memory_;
  mutable std::vector<operand<Real>> transposed_operands_;
};

}  // namespace residua::rt
