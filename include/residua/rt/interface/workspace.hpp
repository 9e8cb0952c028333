// The memory of one call, and what a caller may say about its sequences.
#pragma once

#include <residua/rt/core/arena.hpp>

#include <span>

namespace residua::rt {

/// Scratch for the tiles in flight, one piece for each, and what is there for all tokens while a program runs.
class call_memory {
 public:
  call_memory() = default;
  /// `threads`: that share the sums of gradients. Throws std::bad_alloc.
  call_memory(index threads, index pieces, index bytes_each, index whole_bytes)
      : threads_(threads),
        pieces_(pieces),
        bytes_each_(bytes_each),
        tiles_(pieces * bytes_each, unset),
        whole_(whole_bytes, unset) {}

  call_memory(call_memory&& other) noexcept { *this = static_cast<call_memory&&>(other); }
  call_memory& operator=(call_memory&& other) noexcept {
    std::swap(threads_, other.threads_);
    std::swap(pieces_, other.pieces_);
    std::swap(bytes_each_, other.bytes_each_);
    tiles_ = std::move(other.tiles_);
    whole_ = std::move(other.whole_);
    return *this;
  }

  index threads() const { return threads_; }
  index pieces() const { return pieces_; }
  index bytes_each() const { return bytes_each_; }
  std::byte* piece(index at) { return tiles_.data() + at * bytes_each_; }
  std::byte* whole() { return whole_.data(); }
  index whole_bytes() const { return whole_.size(); }

 private:
  index threads_ = 0;
  index pieces_ = 0;
  index bytes_each_ = 0;
  aligned_buffer<std::byte> tiles_;
  aligned_buffer<std::byte> whole_;
};

/// Scratch memory for one call at a time: with it, forward, jvp and vjp allocate nothing, but for the first vjp of a kernel,
/// which packs the transposed weights. It is made for as many threads as there are when it is made.
class workspace {
 public:
  workspace() = default;
  explicit workspace(call_memory&& memory) : memory_(std::move(memory)) {}

  call_memory& memory() { return memory_; }

 private:
  call_memory memory_;
};

/// Padded sequences: of each, how many of its first tokens are there. Attention then ignores the keys of the others;
/// their own rows are computed as any. Empty: all tokens are there. `lengths`: of the first stream's tokens; `memory_lengths`: of
/// the memory's, or of the last stream that has its own.
struct padding {
  std::span<index const> lengths{};
  std::span<index const> memory_lengths{};
};

}  // namespace residua::rt
