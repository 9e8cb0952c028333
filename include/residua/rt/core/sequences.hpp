// How the rows of a stream are sequences of tokens.
#pragma once

#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// The queries of an attention among its keys.
struct token_layout {
  index tokens = 0;                // queries of each sequence: row r of the stream is token r % tokens of sequence r / tokens
  index keys = 0;                  // keys of each sequence, positions 0 .. keys - 1
  index key_rows = 0;              // key j of sequence s lies in row s * key_rows + j % key_rows; a ring where keys > key_rows
  index position = 0;              // query t stands at position + t among the keys
  index const* lengths = nullptr;  // of each sequence: its keys from this one on are masked; null: none are
};

/// The sequences of one call: as many of the memory as of the stream, each of its own length.
struct call_sequences {
  index count = 0;
  index tokens = 0;
  index memory_tokens = 0;
  index const* lengths = nullptr;  // of each sequence, the tokens that are there; null: all
  index const* memory_lengths = nullptr;
  index position = 0;  // of the first token, where earlier ones are in a cache

  index rows() const { return count * tokens; }
  index memory_rows() const { return count * memory_tokens; }

  token_layout of_stream() const { return {tokens, position + tokens, position + tokens, position, lengths}; }
  token_layout of_memory() const { return {memory_tokens, memory_tokens, memory_tokens, 0, memory_lengths}; }
  token_layout from_stream_to_memory() const { return {tokens, memory_tokens, memory_tokens, 0, memory_lengths}; }
  token_layout from_memory_to_stream() const { return {memory_tokens, tokens, tokens, 0, lengths}; }
};

}  // namespace residua::rt
