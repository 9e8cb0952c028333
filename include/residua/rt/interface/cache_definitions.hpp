// What caches do; compiled into the package's library.
#pragma once

#include <residua/rt/interface/block.hpp>
#include <residua/rt/interface/cache.hpp>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace residua::rt {

template <class Real>
token_cache<Real>::token_cache(cache_owner const& owner, block_description<Real> const& block, index sequences, index capacity,
                               std::span<token_space const> memories)
    : owner_(owner), sequences_(sequences), capacity_(capacity) {
  std::string const asked = "cache: " + std::to_string(sequences) + " sequences of " + std::to_string(capacity) + " tokens";
  if (sequences < 0 || capacity < 1) throw std::invalid_argument(asked + "; a cache holds one token or more");
  for (token_space const& each : memories) {
    memory_tokens_.push_back(each.tokens);
    lengths_.emplace_back(each.lengths, each.lengths ? each.lengths + sequences : nullptr);
  }
  entries_.reserve(block.cached.size());
  for (cached_description const& kept : block.cached) {
    index const rows = kept.tokens > 0                             ? memories[static_cast<std::size_t>(kept.tokens)].tokens
                       : kept.window > 0 && kept.window < capacity ? kept.window
                                                                   : capacity;
    index const stride = padded_stride<Real>(kept.columns);
    index elements = 0;
    if (__builtin_mul_overflow(sequences, rows, &elements) || __builtin_mul_overflow(elements, stride, &elements))
      throw std::invalid_argument(asked + " are more than memory can hold");
    entries_.push_back({kept.columns, kept.window, kept.tokens, rows, stride, aligned_buffer<Real>(elements)});
  }
}

template <class Real>
index token_cache<Real>::bytes() const {
  index sum = 0;
  for (entry const& each : entries_) sum += each.buffer.size() * static_cast<index>(sizeof(Real));
  return sum;
}

template <class Real>
void token_cache<Real>::make_room(index tokens) {
  if (tokens > capacity_ - position_)
    throw std::invalid_argument("cache: holds " + std::to_string(position_) + " of " + std::to_string(capacity_) +
                                " tokens, no room for " + std::to_string(tokens) + " more");
  resize([&](entry const& each) {
    index const most = each.window - 1 < capacity_ - tokens ? each.window - 1 + tokens : capacity_;
    return each.rows < most ? most : each.rows;
  });
}

template <class Real>
void token_cache<Real>::append(std::size_t at, matrix<Real const> fresh, index tokens) {
  entry& into = entries_[at];
  for (index s = 0; s < sequences_; ++s)
    for (index t = 0; t < tokens; ++t)
      std::memcpy(into.row(s, into.tokens > 0 ? t : position_ + t), fresh.row(s * tokens + t),
                  static_cast<std::size_t>(into.columns) * sizeof(Real));
}

template <class Real>
void token_cache<Real>::advance(index tokens) {
  position_ += tokens;
  try {
    resize([](entry const& each) { return each.rows - each.window > each.window ? each.window : each.rows; });
  } catch (std::bad_alloc const&) {  // then they stay large, and right
  }
}

template <class Real>
matrix<Real> token_cache<Real>::rows(std::size_t at) {
  entry& of = entries_[at];
  return {of.buffer.data(), sequences_ * of.rows, of.columns, of.stride};
}

template <class Real>
token_layout token_cache<Real>::layout(std::size_t at, index tokens) const {
  entry const& of = entries_[at];
  if (of.tokens == 0) return {tokens, position_ + tokens, of.rows, position_, nullptr};
  auto const space = static_cast<std::size_t>(of.tokens);
  std::vector<index> const& lengths = lengths_[space];
  return {tokens, memory_tokens_[space], memory_tokens_[space], position_, lengths.empty() ? nullptr : lengths.data()};
}

template <class Real>
typename token_cache<Real>::entry token_cache<Real>::resized(entry& each, index rows) const {
  index elements = 0;
  if (__builtin_mul_overflow(sequences_ * each.stride, rows, &elements)) throw std::bad_alloc();
  entry other{each.columns, each.window, each.tokens, rows, each.stride, aligned_buffer<Real>(elements)};
  index const both = rows < each.rows ? rows : each.rows;
  index const first = position_ > both ? position_ - both : 0;
  for (index s = 0; s < sequences_; ++s)
    for (index t = first; t < position_; ++t)
      std::memcpy(other.row(s, t), each.row(s, t), static_cast<std::size_t>(each.columns) * sizeof(Real));
  return other;
}

template <class Real>
template <class Length>
void token_cache<Real>::resize(Length const& length) {
  bool any = false;
  for (entry const& each : entries_) any = any || (each.tokens == 0 && each.window > 0 && length(each) != each.rows);
  if (!any) return;
  std::vector<entry> fresh;
  fresh.reserve(entries_.size());
  for (entry& each : entries_)
    if (each.tokens == 0 && each.window > 0 && length(each) != each.rows) fresh.push_back(resized(each, length(each)));
  std::size_t next = 0;
  for (entry& each : entries_)
    if (each.tokens == 0 && each.window > 0 && length(each) != each.rows) each = std::move(fresh[next++]);
}

}  // namespace residua::rt
