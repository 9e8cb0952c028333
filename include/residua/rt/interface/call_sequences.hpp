// The sequences of one call, in every token space of a block.
#pragma once

#include <residua/rt/core/sequences.hpp>

#include <span>

namespace residua::rt {

/// The tokens of one space: as many of every sequence.
struct token_space {
  index tokens = 0;
  index const* lengths = nullptr;  // of each sequence, the tokens that are there; null: all
};

/// The sequences of one call: as many in every space. Space 0 is the block's own stream, k that of its input k.
struct call_sequences {
  index count = 0;
  std::span<token_space const> spaces{};
  index position = 0;  // of the stream's first token, where earlier ones are in a cache

  index tokens(int space) const { return of(space).tokens; }
  index rows(int space) const { return count * of(space).tokens; }

  /// The tokens of one space as queries among those of another, or of the same. All are keys that stand in their own place.
  token_layout between(int queries, int keys) const {
    index const last = first(keys) + tokens(keys);
    return {tokens(queries), last, last, first(queries), of(keys).lengths};
  }

 private:
  token_space const& of(int space) const { return spaces[static_cast<std::size_t>(space)]; }
  index first(int space) const { return space == 0 ? position : 0; }
};

}  // namespace residua::rt
