// The loops around tiles of rows.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/parallel.hpp>
#include <residua/rt/interface/workspace.hpp>

namespace residua::rt {

inline index tiles_of(index rows) { return rows / tile_rows + (rows % tile_rows > 0); }
inline index rows_in_tile(index rows, index tile) {
  return rows - tile * tile_rows < tile_rows ? rows - tile * tile_rows : tile_rows;
}

/// body(first row, rows, scratch) for each tile of `rows` rows, on as many threads as the memory has pieces.
template <class Body>
void for_each_tile(index rows, call_memory& memory, Body const& body) {
  index const tiles = tiles_of(rows);
  index const groups = memory.pieces() < tiles ? memory.pieces() : tiles;  // consecutive tiles of one thread
  parallel_for(groups, [&](index group, index) {
    for (index tile = tiles * group / groups; tile < tiles * (group + 1) / groups; ++tile)
      body(tile * tile_rows, rows_in_tile(rows, tile), memory.piece(group));
  });
}

/// Gradients, in rounds of one tile a piece: `rows_body(first row, rows, scratch)` for each tile of the round, then
/// `sum_body(first row, rows, scratch, part, parts)` for each part of the parameters and each tile, in order. No sum
/// depends on the number of threads: an element's terms arrive tile by tile.
template <class RowsBody, class SumBody>
void for_each_tile_round(index rows, call_memory& memory, RowsBody const& rows_body, SumBody const& sum_body) {
  index const tiles = tiles_of(rows);
  for (index round = 0; round < tiles; round += memory.pieces()) {
    index const count = tiles - round < memory.pieces() ? tiles - round : memory.pieces();
    parallel_for(count,
                 [&](index i, index) { rows_body((round + i) * tile_rows, rows_in_tile(rows, round + i), memory.piece(i)); });
    parallel_for(memory.threads(), [&](index part, index) {
      for (index i = 0; i < count; ++i)
        sum_body((round + i) * tile_rows, rows_in_tile(rows, round + i), memory.piece(i), part, memory.threads());
    });
  }
}

}  // namespace residua::rt
