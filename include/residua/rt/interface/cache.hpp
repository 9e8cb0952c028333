// The keys and values of the tokens so far, for decoding one token or one chunk at a time.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/sequences.hpp>

#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace residua::rt {

/// One value that a cache keeps of every token.
struct cache_rule {
  index width = 0;
  index window = 0;        // only so many of the last tokens are needed; 0: all
  bool of_memory = false;  // of the memory's tokens: computed once
};

/// A number for each set of parameters that a kernel packs, so that a cache knows whose keys and values it holds.
inline index next_revision() {
  static std::atomic<index> last{0};
  return ++last;
}

/// What `step` remembers. It belongs to one kernel and to one set of sequences, and holds up to `capacity` tokens of each;
/// of an attention with a sliding window only the window is kept, and for a chunk of n tokens n - 1 more, as long as that
/// is no more than another window. Moves, does not copy.
template <class Real>
class token_cache {
 public:
  token_cache(index revision, std::span<cache_rule const> rules, index sequences, index capacity, index memory_tokens = 0)
      : revision_(revision), sequences_(sequences), capacity_(capacity), memory_tokens_(memory_tokens) {
    if (sequences < 0 || capacity < 1)
      throw std::invalid_argument("cache: " + std::to_string(sequences) + " sequences of " + std::to_string(capacity) +
                                  " tokens; a cache holds one token or more");
    for (cache_rule const& rule : rules) {
      index const rows = rule.of_memory ? memory_tokens : rule.window > 0 && rule.window < capacity ? rule.window : capacity;
      if (rows > 0 && sequences > std::numeric_limits<index>::max() / rows / padded_stride<Real>(rule.width))
        throw std::bad_alloc();
      entries_.push_back({rule, rows, padded_stride<Real>(rule.width), {}});
      entries_.back().buffer = aligned_buffer<Real>(sequences * rows * entries_.back().stride);
    }
  }

  index sequences() const { return sequences_; }
  /// Tokens of each sequence that have been seen, and that fit.
  index position() const { return position_; }
  index capacity() const { return capacity_; }
  /// Forgets all tokens of the stream; the memory stays.
  void clear() { position_ = 0; }

  /// Before a step of `tokens`: throws std::invalid_argument where they do not fit, and widens a window's ring for a chunk
  /// that is larger than any before.
  void make_room(index tokens) {
    if (position_ + tokens > capacity_)
      throw std::invalid_argument("cache: holds " + std::to_string(position_) + " of " + std::to_string(capacity_) +
                                  " tokens, no room for " + std::to_string(tokens) + " more");
    for (entry& each : entries_) {
      index const wanted = each.rule.window - 1 + tokens;
      if (each.rule.of_memory || each.rule.window == 0 || each.rows >= wanted || each.rows == capacity_) continue;
      resize(each, wanted < capacity_ ? wanted : capacity_);
    }
  }

  /// Keeps a value of the tokens that stand from position() on; fresh: (sequences * tokens, width).
  void append(std::size_t at, matrix<Real const> fresh, index tokens) {
    entry& into = entries_[at];
    for (index s = 0; s < sequences_; ++s)
      for (index t = 0; t < tokens; ++t)
        std::memcpy(row(into, s, into.rule.of_memory ? t : position_ + t), fresh.row(s * tokens + t),
                    static_cast<std::size_t>(into.rule.width) * sizeof(Real));
  }
  /// After a step of `tokens`; gives back what only a large chunk needed.
  void advance(index tokens) {
    position_ += tokens;
    for (entry& each : entries_) {
      if (each.rule.of_memory || each.rule.window == 0 || each.rows <= 2 * each.rule.window) continue;
      try {
        resize(each, each.rule.window);
      } catch (std::bad_alloc const&) {  // then it stays large, and right
      }
    }
  }

  matrix<Real> rows(std::size_t at) {
    entry& of = entries_[at];
    return {of.buffer.data(), sequences_ * of.rows, of.rule.width, of.stride};
  }
  /// Where the keys of a step of `tokens` lie.
  token_layout layout(std::size_t at, index tokens) const {
    entry const& of = entries_[at];
    if (of.rule.of_memory)
      return {tokens, memory_tokens_, memory_tokens_, position_, memory_lengths_.empty() ? nullptr : memory_lengths_.data()};
    return {tokens, position_ + tokens, of.rows, position_, nullptr};
  }
  void set_memory_lengths(std::span<index const> lengths) { memory_lengths_.assign(lengths.begin(), lengths.end()); }

  /// Whether it was made by a kernel with these parameters, and not moved from.
  bool is_of(index revision) const { return revision_ == revision && !entries_.empty(); }

  /// Bytes that the cache holds.
  index bytes() const {
    index sum = 0;
    for (entry const& each : entries_) sum += each.buffer.size() * static_cast<index>(sizeof(Real));
    return sum;
  }

 private:
  struct entry {
    cache_rule rule;
    index rows;  // of each sequence; token j lies in row j % rows
    index stride;
    aligned_buffer<Real> buffer;
  };

  static Real* row(entry& of, index sequence, index token) {
    return of.buffer.data() + (sequence * of.rows + token % of.rows) * of.stride;
  }

  /// Another length for a ring, with the last tokens that fit both.
  void resize(entry& each, index rows) {
    entry other{each.rule, rows, each.stride, aligned_buffer<Real>(sequences_ * rows * each.stride)};
    index const both = rows < each.rows ? rows : each.rows;
    index const first = position_ > both ? position_ - both : 0;
    for (index s = 0; s < sequences_; ++s)
      for (index t = first; t < position_; ++t)
        std::memcpy(row(other, s, t), row(each, s, t), static_cast<std::size_t>(each.rule.width) * sizeof(Real));
    each = std::move(other);
  }

  index revision_;
  index sequences_;
  index capacity_;
  index memory_tokens_;
  index position_ = 0;
  std::vector<entry> entries_;
  std::vector<index> memory_lengths_;
};

}  // namespace residua::rt
