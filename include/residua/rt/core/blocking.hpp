// How rows and columns are cut: tiles, panels, blocks as even as possible, intervals. Needs no SIMD.
#pragma once

#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// Rows of a tile: what a tile works on stays in L2 for the widths of today's models, and 84 is 6 x 14, whole blocks of the
/// micro-kernels of AVX2 and AVX-512 (see kernel_rows).
inline constexpr index tile_rows = 84;

/// A panel of packed weights has as many columns as fill this many bytes with numbers that are computed with: two AVX-512
/// registers, four AVX2 ones, eight of 128 bits.
inline constexpr index panel_bytes = 128;
template <class Real>
inline constexpr index panel = panel_bytes / static_cast<index>(sizeof(Real));

namespace detail {

[[gnu::always_inline]] inline constexpr index smaller(index a, index b) { return b < a ? b : a; }
[[gnu::always_inline]] inline constexpr index larger(index a, index b) { return b > a ? b : a; }

/// [first, last), empty where last <= first.
struct interval {
  index first;
  index last;
  [[gnu::always_inline]] bool empty() const { return last <= first; }
  [[gnu::always_inline]] index size() const { return last - first; }
};

/// Cuts m rows into as few blocks of at most `most` rows as possible, as even as possible: block b is [first(b), first(b + 1)).
struct row_blocks {
  index count;
  index size;
  index larger;
  [[gnu::always_inline]] row_blocks(index m, index most)
      : count((m + most - 1) / most), size(count ? m / count : 0), larger(count ? m % count : 0) {}
  [[gnu::always_inline]] index first(index b) const { return b * size + (b < larger ? b : larger); }
  [[gnu::always_inline]] index rows(index b) const { return first(b + 1) - first(b); }
};

}  // namespace detail

}  // namespace residua::rt
