// Runs the programs of one block, told as a block_description, on pointers: packing, memory, loops over stages, layers and
// tiles. It checks nothing; any_kernel.hpp does. Compiled into the package's library, for float and double.
#pragma once

#include <residua/rt/interface/block.hpp>
#include <residua/rt/interface/cache.hpp>
#include <residua/rt/interface/weights.hpp>
#include <residua/rt/interface/workspace.hpp>

#include <utility>
#include <vector>

namespace residua::rt {

/// One of the programs of a block.
enum class program_kind { forward, jvp, vjp };

/// A block with its packed parameters. Const use is safe from several threads, each with a memory of its own.
template <class Real>
class engine {
 public:
  /// Arguments and results of a call, in the order of block_description, and where the gradients of the parameters go.
  struct pointers {
    Real const** arguments = nullptr;
    Real** results = nullptr;
    Real** gradients = nullptr;  // of vjp; overwritten
  };

  /// `sizes`: the widths that are chosen at run time. Runs on the selected instruction set, or the best below it of those that
  /// the block was built for. Throws std::bad_alloc, and std::invalid_argument for widths that no memory can hold.
  engine(block_description<Real> const& block, std::span<index const> sizes);

  block_description<Real> const& block() const { return block_; }
  std::span<index const> sizes() const { return sizes_; }
  instruction_set instructions() const { return kernels_.set; }
  cache_owner owner() const { return {&block_, revision_}; }

  /// Packs the parameters, row-major, where the block's list has them. Takes no memory; caches from before are no longer of
  /// this engine.
  void pack(std::span<Real const* const> parameters) noexcept;

  /// Bytes of scratch for one tile, and for all tokens of a call. Throws std::invalid_argument for more than memory can hold.
  index tile_bytes(program_kind kind) const { return tile_bytes_[static_cast<std::size_t>(kind)]; }
  index whole_bytes(program_kind kind, call_sequences const& s) const;
  /// Memory for one call of these sequences: a piece for each thread that it can use. Throws std::bad_alloc.
  call_memory memory_for(program_kind kind, call_sequences const& s) const;

  /// Room for a call's pointers, in its memory.
  pointers pointers_in(call_memory& memory) const;

  /// y, or y and dy, or the gradients. `memory` has pieces of tile_bytes and at least whole_bytes.
  void run(program_kind kind, pointers const& at, call_sequences const& s, call_memory& memory) const;

  /// The results of tokens that follow those in the cache; only the stream's arguments are read. The cache has room for them.
  void step(pointers const& at, call_sequences const& s, token_cache<Real>& cache, call_memory& memory) const;
  /// Computes what a new cache keeps of the memories; only their arguments are read.
  void fill_cache(pointers const& at, call_sequences const& s, token_cache<Real>& cache, call_memory& memory) const;

 private:
  struct call;     // what all tiles of a call are told
  struct scratch;  // where a tile's buffers are

  program_description<Real> const& code(program_kind kind) const;
  call carve_tables(program_kind kind, call_sequences const& s, carver& memory) const;
  call make_call(program_kind kind, pointers const& at, call_sequences const& s, token_cache<Real>* cache,
                 call_memory& memory) const;
  scratch carve_lists(stage_description<Real> const& stage, carver& memory) const;
  void carve_buffers(stage_description<Real> const& stage, index rows, scratch const& lists, carver& memory) const;
  index scratch_bytes(stage_description<Real> const& stage) const;
  void find_seen();
  void run_stage(stage_description<Real> const& stage, index layer, call const& with, call_memory& memory) const;
  template <class Runs>
  void run_cached(call const& with, token_cache<Real>& cache, call_memory& memory, Runs const& runs) const;

  block_description<Real> const& block_;
  std::vector<index> sizes_;
  functions<Real> const& kernels_;
  packed_parameters<Real> parameters_;
  index revision_ = 0;
  index tile_bytes_[3];
  std::vector<std::pair<std::size_t, std::size_t>> seen_;  // entries of forward that a step reads in the cache, and where there
};

#if !defined(RESIDUA_HEADER_ONLY)
extern template class engine<float>;
extern template class engine<double>;
#endif

}  // namespace residua::rt
