// The loops around tiles of rows, and the memory that they work in. Baseline code.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/parallel.hpp>

namespace residua::rt {

/// Scratch memory for tiles in flight, one piece a thread. One workspace serves one call at a time.
class tile_memory {
 public:
  tile_memory() = default;
  explicit tile_memory(index bytes_each) : threads_(thread_count()), bytes_each_(bytes_each), block_(threads_ * bytes_each) {}

  index threads() const { return threads_; }
  index bytes_each() const { return bytes_each_; }
  void* of(index thread) { return block_.data() + thread * bytes_each_; }

 private:
  index threads_ = 0;
  index bytes_each_ = 0;
  aligned_buffer<std::byte> block_;
};

/// body(first row, rows, memory) for each tile of `rows` rows, on as many threads as the memory was made for.
template <class Body>
void for_each_tile(index rows, tile_memory& memory, Body const& body) {
  index const tiles = (rows + tile_rows - 1) / tile_rows;
  index const groups = memory.threads() < tiles ? memory.threads() : tiles;  // consecutive tiles of one thread
  parallel_for(groups, [&](index group, index) {
    for (index tile = tiles * group / groups; tile < tiles * (group + 1) / groups; ++tile) {
      index const first = tile * tile_rows;
      body(first, rows - first < tile_rows ? rows - first : tile_rows, memory.of(group));
    }
  });
}

/// Gradients, in rounds of one tile a thread: `rows_body(first row, rows, memory)` for each tile of the round, then
/// `sum_body(first row, rows, memory, part, parts)` for each part of the parameters and each tile, in order. No sum
/// depends on the number of threads: an element's terms arrive tile by tile.
template <class RowsBody, class SumBody>
void for_each_tile_round(index rows, tile_memory& memory, RowsBody const& rows_body, SumBody const& sum_body) {
  index const tiles = (rows + tile_rows - 1) / tile_rows;
  auto const rows_of = [&](index tile) { return rows - tile * tile_rows < tile_rows ? rows - tile * tile_rows : tile_rows; };
  for (index round = 0; round < tiles; round += memory.threads()) {
    index const count = tiles - round < memory.threads() ? tiles - round : memory.threads();
    parallel_for(count, [&](index i, index) { rows_body((round + i) * tile_rows, rows_of(round + i), memory.of(i)); });
    parallel_for(memory.threads(), [&](index part, index) {
      for (index i = 0; i < count; ++i)
        sum_body((round + i) * tile_rows, rows_of(round + i), memory.of(i), part, memory.threads());
    });
  }
}

}  // namespace residua::rt
