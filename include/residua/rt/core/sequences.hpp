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

}  // namespace residua::rt
