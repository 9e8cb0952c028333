// Lets the n-th allocation from now on fail, and all after it succeed.
#pragma once

#include <new>

namespace residua::test {

/// Allocations until one fails; 0: none does.
extern thread_local long allocations_until_failure;

/// Runs `action` with its first, second, ... allocation failing until it runs through, and `check` after each failure. Gives the
/// number of failures.
template <class Action, class Check>
long fail_each_allocation(Action const& action, Check const& check) {
  for (long n = 1;; ++n) {
    bool failed = false;
    allocations_until_failure = n;
    try {
      action();
    } catch (std::bad_alloc const&) {
      failed = true;
    }
    bool const was_reached = allocations_until_failure == 0;
    allocations_until_failure = 0;
    check(failed);
    if (!was_reached) return n - 1;
  }
}

}  // namespace residua::test
