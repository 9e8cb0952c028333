// Which compiled kernels a program runs: the best the machine has, or the one it is told to use.
#pragma once

#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace residua::rt {

/// The instruction sets that kernels are compiled for; `baseline` is SSE2 on x86-64 and NEON on 64-bit ARM.
/// One more is: an enumerator and a row below, its flags in residua_instruction_sets.cmake, its registers in simd.hpp, and a
/// file in lib that instantiates the kernels.
enum class instruction_set { baseline, avx2, avx512 };

namespace detail {

/// Whether this machine, operating system included, can run it.
inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}
inline bool has_avx512() {
#if defined(__x86_64__)
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

struct instruction_set_row {
  instruction_set set;
  std::string_view name;  // in RESIDUA_INSTRUCTION_SET and in messages
  bool (*supported)();
};

}  // namespace detail

/// Every instruction set, from the slowest to the fastest: of those that there are, the last one is taken.
inline constexpr detail::instruction_set_row all_instruction_sets[] = {
    {instruction_set::baseline, "baseline", [] { return true; }},
    {instruction_set::avx2, "avx2", &detail::has_avx2},
    {instruction_set::avx512, "avx512", &detail::has_avx512},
};

/// The name used in RESIDUA_INSTRUCTION_SET and in messages.
inline std::string_view name(instruction_set set) {
  for (auto const& row : all_instruction_sets)
    if (row.set == set) return row.name;
  return "unknown";
}

/// Whether this machine, operating system included, can run it.
inline bool supported(instruction_set set) {
  for (auto const& row : all_instruction_sets)
    if (row.set == set) return row.supported();
  return false;
}

/// The fastest one this machine supports.
inline instruction_set best() {
  instruction_set found = instruction_set::baseline;
  for (auto const& row : all_instruction_sets)
    if (row.supported()) found = row.set;
  return found;
}

/// The instruction set of that name. Throws std::runtime_error when there is none, or when the machine lacks it:
/// "residua: instruction set 'avx1024' is unknown; this machine has baseline, avx2".
inline instruction_set parse_instruction_set(std::string_view text) {
  std::string have;
  for (auto const& row : all_instruction_sets)
    if (row.supported()) have += (have.empty() ? "" : ", ") + std::string(row.name);
  for (auto const& row : all_instruction_sets)
    if (row.name == text) {
      if (row.supported()) return row.set;
      throw std::runtime_error("residua: instruction set '" + std::string(text) + "' is not supported here; this machine has " +
                               have);
    }
  throw std::runtime_error("residua: instruction set '" + std::string(text) + "' is unknown; this machine has " + have);
}

namespace detail {

/// What force_instruction_set chose, or -1; one for the program and its shared libraries, whatever they hide. Read and written
/// by builtins, which spare every kernel's header <atomic>.
[[gnu::visibility("default")]] inline int forced_instruction_set = -1;

inline void force(int set) { __atomic_store_n(&forced_instruction_set, set, __ATOMIC_SEQ_CST); }

}  // namespace detail

/// Makes selected() give `set` from now on, for all threads. Throws std::runtime_error when the machine lacks it.
inline void force_instruction_set(instruction_set set) { detail::force(static_cast<int>(parse_instruction_set(name(set)))); }

/// Takes force_instruction_set back.
inline void unforce_instruction_set() { detail::force(-1); }

/// The instruction set to run: the forced one, else what the environment's RESIDUA_INSTRUCTION_SET names (read once;
/// throws std::runtime_error for a name that is unknown or unsupported), else the best.
inline instruction_set selected() {
  int const forced = __atomic_load_n(&detail::forced_instruction_set, __ATOMIC_SEQ_CST);
  if (forced >= 0) return static_cast<instruction_set>(forced);
  static instruction_set const chosen = [] {
    char const* const named = std::getenv("RESIDUA_INSTRUCTION_SET");
    return named && *named ? parse_instruction_set(named) : best();
  }();
  return chosen;
}

/// The instruction set to run of those that a library was compiled for: the selected one, or the fastest before it.
inline instruction_set selected_among(std::span<instruction_set const> compiled) {
  instruction_set const wanted = selected();
  instruction_set found = instruction_set::baseline;
  for (auto const& row : all_instruction_sets) {
    for (instruction_set set : compiled)
      if (set == row.set) found = set;
    if (row.set == wanted) break;
  }
  return found;
}

}  // namespace residua::rt
