// The keys and values of the tokens so far, for decoding one token or one chunk at a time.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/interface/call_sequences.hpp>

#include <vector>

namespace residua::rt {

template <class Real>
struct block_description;

/// Whose keys and values a cache holds: a kernel's, with its parameters as they were when it was made.
struct cache_owner {
  void const* block = nullptr;
  index revision = 0;  // no two packings of parameters have the same

  bool operator==(cache_owner const&) const = default;
};

/// What `step` remembers. It belongs to one kernel and to one set of sequences, and holds up to `capacity` tokens of each;
/// of an attention with a sliding window only the window is kept, and for a chunk of n tokens n - 1 more, as long as that
/// is no more than another window. Moves, does not copy.
template <class Real>
class token_cache {
 public:
  /// `memories`: of each token space, how many tokens it has, 0 for the stream. Throws std::invalid_argument and std::bad_alloc.
  token_cache(cache_owner const& owner, block_description<Real> const& block, index sequences, index capacity,
              std::span<token_space const> memories);

  index sequences() const { return sequences_; }
  /// Tokens of each sequence that have been seen, and that fit.
  index position() const { return position_; }
  index capacity() const { return capacity_; }
  /// Forgets all tokens of the stream; the memory stays.
  void clear() { position_ = 0; }
  /// Bytes that the cache holds.
  index bytes() const;

  /// Before a step of `tokens`: throws std::invalid_argument where they do not fit, and widens a window's ring for a chunk
  /// that is larger than any before. Changes nothing where it throws.
  void make_room(index tokens);
  /// Keeps a value of the tokens that stand from position() on; fresh: (sequences * tokens, columns).
  void append(std::size_t at, matrix<Real const> fresh, index tokens);
  /// After a step of `tokens`; gives back what only a large chunk needed.
  void advance(index tokens);

  matrix<Real> rows(std::size_t at);
  /// Where the keys of a step of `tokens` lie.
  token_layout layout(std::size_t at, index tokens) const;
  /// Whether it was made by this kernel with its present parameters, and not moved from.
  bool is_of(cache_owner const& owner) const { return owner_ == owner && !entries_.empty(); }

 private:
  struct entry {
    index columns;
    index window;  // only so many of the last tokens are needed; 0: all
    int tokens;    // 0: of the stream; otherwise of a memory, computed once
    index rows;    // of each sequence; token j lies in row j % rows
    index stride;
    aligned_buffer<Real> buffer;

    Real* row(index sequence, index token) { return buffer.data() + (sequence * rows + token % rows) * stride; }
  };

  /// The entry with a ring of another length, with the last tokens that fit both.
  entry resized(entry& each, index rows) const;
  /// Gives rings other lengths: all of them, or none where memory is lacking.
  template <class Length>
  void resize(Length const& length);

  cache_owner owner_;
  index sequences_;
  index capacity_;
  index position_ = 0;
  std::vector<entry> entries_;
  std::vector<index> memory_tokens_;         // by token space
  std::vector<std::vector<index>> lengths_;  // likewise; empty: all tokens are there
};

#if !defined(RESIDUA_HEADER_ONLY)
extern template class token_cache<float>;
extern template class token_cache<double>;
#endif

}  // namespace residua::rt
