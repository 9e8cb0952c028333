// Which compiled kernels a program runs: the best the machine has, or the one it is told to use.
#pragma once

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace residua::rt {

/// The instruction sets kernels are compiled for; `baseline` is SSE2 on x86-64, `neon` is the baseline of 64-bit ARM.
enum class instruction_set { baseline, avx2, avx512, neon };

inline constexpr instruction_set all_instruction_sets[] = {instruction_set::baseline, instruction_set::avx2,
                                                           instruction_set::avx512, instruction_set::neon};

/// The name used in RESIDUA_INSTRUCTION_SET and in messages.
inline std::string_view name(instruction_set set) {
  switch (set) {
    case instruction_set::baseline: return "baseline";
    case instruction_set::avx2: return "avx2";
    case instruction_set::avx512: return "avx512";
    case instruction_set::neon: return "neon";
  }
  return "unknown";
}

/// Whether this machine, operating system included, can run it.
inline bool supported(instruction_set set) {
#if defined(__x86_64__)
  switch (set) {
    case instruction_set::baseline: return true;
    case instruction_set::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case instruction_set::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && supported(instruction_set::avx2);
    case instruction_set::neon: return false;
  }
  return false;
#elif defined(__aarch64__)
  return set == instruction_set::baseline || set == instruction_set::neon;
#else
  return set == instruction_set::baseline;
#endif
}

/// The fastest one this machine supports.
inline instruction_set best() {
  for (instruction_set set : {instruction_set::avx512, instruction_set::avx2, instruction_set::neon})
    if (supported(set)) return set;
  return instruction_set::baseline;
}

/// The instruction set of that name. Throws std::runtime_error when there is none, or when the machine lacks it:
/// "residua: instruction set 'avx1024' is unknown; this machine has baseline, avx2".
inline instruction_set parse_instruction_set(std::string_view text) {
  std::string have;
  for (instruction_set set : all_instruction_sets)
    if (supported(set)) have += (have.empty() ? "" : ", ") + std::string(name(set));
  for (instruction_set set : all_instruction_sets)
    if (name(set) == text) {
      if (supported(set)) return set;
      throw std::runtime_error("residua: instruction set '" + std::string(text) + "' is not supported here; this machine has " +
                               have);
    }
  throw std::runtime_error("residua: instruction set '" + std::string(text) + "' is unknown; this machine has " + have);
}

namespace detail {

/// What force_instruction_set chose, or -1.
inline std::atomic<int> forced_instruction_set{-1};

}  // namespace detail

/// Makes selected() give `set` from now on, for all threads. Throws std::runtime_error when the machine lacks it.
inline void force_instruction_set(instruction_set set) {
  detail::forced_instruction_set.store(static_cast<int>(parse_instruction_set(name(set))));
}

/// Takes force_instruction_set back.
inline void unforce_instruction_set() { detail::forced_instruction_set.store(-1); }

/// The instruction set to run: the forced one, else what the environment's RESIDUA_INSTRUCTION_SET names (read once;
/// throws std::runtime_error for a name that is unknown or unsupported), else the best.
inline instruction_set selected() {
  int const forced = detail::forced_instruction_set.load();
  if (forced >= 0) return static_cast<instruction_set>(forced);
  static instruction_set const chosen = [] {
    char const* const named = std::getenv("RESIDUA_INSTRUCTION_SET");
    return named && *named ? parse_instruction_set(named) : best();
  }();
  return chosen;
}

}  // namespace residua::rt
