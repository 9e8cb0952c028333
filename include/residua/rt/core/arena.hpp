// Memory that kernels work in: aligned buffers, and matrices carved out of raw scratch.
#pragma once

#include <residua/rt/core/matrix.hpp>

#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace residua::rt {

inline constexpr index line_bytes = 64;
inline constexpr index page_bytes = 4096;

/// `bytes` rounded up to whole cache lines.
[[gnu::always_inline]] inline constexpr index whole_lines(index bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// The row stride, in elements, that starts every row on a cache line and no two rows on the same L1 set:
/// columns rounded up to whole lines, and one line more where that is a multiple of a page.
template <class Real>
[[gnu::always_inline]] inline constexpr index padded_stride(index columns) {
  index bytes = whole_lines(columns * static_cast<index>(sizeof(Real)));
  if (bytes > 0 && bytes % page_bytes == 0) bytes += line_bytes;
  return bytes / static_cast<index>(sizeof(Real));
}

/// Asks a buffer for memory that is not set to zero.
struct unset_memory {};
inline constexpr unset_memory unset{};

/// `count` zeros on a cache line, freed with the object; moves, does not copy. Throws std::bad_alloc.
template <class Real>
class aligned_buffer {
 public:
  aligned_buffer() = default;

  explicit aligned_buffer(index count) : aligned_buffer(count, unset) {
    if (data_) std::memset(static_cast<void*>(data_), 0, static_cast<std::size_t>(count_) * sizeof(Real));
  }

  aligned_buffer(index count, unset_memory) : count_(count) {
    if (count <= 0) {
      count_ = 0;
      return;
    }
    if (count > std::numeric_limits<index>::max() / static_cast<index>(sizeof(Real)) - line_bytes) throw std::bad_alloc();
    auto const bytes = static_cast<std::size_t>(whole_lines(count * static_cast<index>(sizeof(Real))));
    data_ = static_cast<Real*>(::operator new(bytes, std::align_val_t{line_bytes}));
  }

  aligned_buffer(aligned_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

  aligned_buffer& operator=(aligned_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  ~aligned_buffer() {
    if (data_) ::operator delete(data_, std::align_val_t{line_bytes});
  }

  Real* data() { return data_; }
  Real const* data() const { return data_; }
  index size() const { return count_; }

 private:
  Real* data_ = nullptr;
  index count_ = 0;
};

/// Hands out aligned pieces of one scratch block, one after the other. A carver over a null block counts only:
/// run the same take() calls twice, first to learn bytes(), then to carve.
/// `scratch` must be aligned to a cache line.
class carver {
 public:
  [[gnu::always_inline]] explicit carver(void* scratch = nullptr) : base_(static_cast<std::byte*>(scratch)) {}

  /// rows x columns with a padded stride; not initialised.
  template <class Real>
  [[gnu::always_inline]] matrix<Real> take(index rows, index columns) {
    index const stride = padded_stride<Real>(columns);
    return {take_vector<Real>(rows * stride), rows, columns, stride};
  }

  /// `count` elements; not initialised.
  template <class Real>
  [[gnu::always_inline]] Real* take_vector(index count) {
    Real* const piece = base_ ? reinterpret_cast<Real*>(base_ + used_) : nullptr;
    used_ += whole_lines(count * static_cast<index>(sizeof(Real)));
    return piece;
  }

  /// The bytes handed out so far, a multiple of a cache line.
  [[gnu::always_inline]] index bytes() const { return used_; }

 private:
  std::byte* base_;
  index used_ = 0;
};

}  // namespace residua::rt
