// Threads: OpenMP where the program is compiled with it, one thread where it is not.
#pragma once

#include <residua/rt/core/matrix.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::rt {

/// How many threads parallel_for may use: OpenMP's maximum, or 1.
[[gnu::always_inline]] inline index thread_count() {
#if defined(_OPENMP)
  return static_cast<index>(omp_get_max_threads());
#else
  return 1;
#endif
}

/// body(task, thread) for each task in [0, count), thread in [0, thread_count()); consecutive tasks share a thread.
/// The body must not throw. Inside another parallel region it runs on one thread.
template <class Body>
[[gnu::always_inline]] inline void parallel_for(index count, Body const& body) {
#if defined(_OPENMP)
  if (count > 1 && omp_get_max_threads() > 1) {
#pragma omp parallel for schedule(static)
    for (index task = 0; task < count; ++task) body(task, static_cast<index>(omp_get_thread_num()));
    return;
  }
#endif
  for (index task = 0; task < count; ++task) body(task, index{0});
}

}  // namespace residua::rt
