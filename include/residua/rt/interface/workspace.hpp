// The memory of one call, and what a caller may say about its sequences.
#pragma once

#include <residua/rt/core/sequences.hpp>
#include <residua/rt/interface/tile_loop.hpp>

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>

namespace residua::rt {

/// Scratch for tiles, and what lives for all tokens between the stages of an attention.
class call_memory {
 public:
  call_memory() = default;
  call_memory(index bytes_each, index whole_bytes) : tiles_(bytes_each), whole_(whole_bytes) {}

  tile_memory& tiles() { return tiles_; }
  void* whole() { return whole_.data(); }
  index whole_bytes() const { return whole_.size(); }

 private:
  tile_memory tiles_;
  aligned_buffer<std::byte> whole_;
};

/// Scratch memory for one call at a time: with it, forward, jvp and vjp allocate nothing, but for the first vjp of a kernel
/// (and the first after update), which packs the transposed weights.
/// It is made for as many threads as there are when it is made.
class workspace {
 public:
  workspace() = default;
  workspace(index bytes_each, index whole_bytes) : memory_(bytes_each, whole_bytes) {}

  /// The memory, if it is enough for this call. Throws std::invalid_argument where the workspace is another kernel's or was
  /// made for fewer tokens.
  call_memory& for_call(index bytes_each, index whole_bytes) {
    if (memory_.tiles().threads() == 0 || memory_.tiles().bytes_each() < bytes_each)
      throw std::invalid_argument("workspace: has " + std::to_string(memory_.tiles().bytes_each()) +
                                  " bytes a thread, must have " + std::to_string(bytes_each) +
                                  "; make it with this kernel's make_workspace");
    if (memory_.whole_bytes() < whole_bytes)
      throw std::invalid_argument("workspace: has " + std::to_string(memory_.whole_bytes()) + " bytes for tokens, must have " +
                                  std::to_string(whole_bytes) + "; make it for extents as large as the stream's");
    return memory_;
  }

 private:
  call_memory memory_;
};

/// One call's bytes of scratch a thread, by what is computed.
struct scratch_bytes {
  index forward = 0;
  index jvp = 0;
  index vjp = 0;

  index most() const { return forward > jvp ? (forward > vjp ? forward : vjp) : jvp > vjp ? jvp : vjp; }
};

inline index most_of(std::initializer_list<index> list) {
  index most = 0;
  for (index each : list) most = each > most ? each : most;
  return most;
}

/// Padded sequences: of each, how many of its first tokens are there. Attention then ignores the keys of the others;
/// their own rows are computed as any. Empty: all tokens are there.
struct padding {
  std::span<index const> lengths{};
  std::span<index const> memory_lengths{};
};

}  // namespace residua::rt
