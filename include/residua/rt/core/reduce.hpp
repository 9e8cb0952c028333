// Sums over a row in one fixed order, whatever its length.
#pragma once

#include <residua/rt/core/simd.hpp>

namespace residua::rt::detail {

/// Four running sums of registers, added to each other in one fixed order: enough to hide the latency of an addition.
template <class Arch, class Real>
struct running_sum {
  batch<Real, Arch> part[4] = {batch<Real, Arch>(Real(0)), batch<Real, Arch>(Real(0)), batch<Real, Arch>(Real(0)),
                               batch<Real, Arch>(Real(0))};

  [[gnu::always_inline]] Real total() const { return rt::reduce_add((part[0] + part[1]) + (part[2] + part[3])); }
};

/// Calls body(column, count, which) for each register of a row; which counts 0, 1, 2, 3, 0, ... and picks a running sum.
template <class Arch, class Real, class Body>
[[gnu::always_inline]] inline void for_each_part(index n, Body const& body) {
  constexpr index width = lanes<Real, Arch>;
  index j = 0;
  for (; j + 4 * width <= n; j += 4 * width) {
    body(j, width, 0);
    body(j + width, width, 1);
    body(j + 2 * width, width, 2);
    body(j + 3 * width, width, 3);
  }
  for (index which = 0; j < n; j += width, ++which) body(j, n - j < width ? n - j : width, which);
}

/// sum_j a(j)
template <class Arch, class Real>
[[gnu::always_inline]] inline Real row_sum(Real const* a, index n) {
  running_sum<Arch, Real> sum;
  for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
    sum.part[which] = sum.part[which] + rt::load<Arch>(a + j, count);
  });
  return sum.total();
}

/// sum_j a(j) b(j)
template <class Arch, class Real>
[[gnu::always_inline]] inline Real row_dot(Real const* a, Real const* b, index n) {
  running_sum<Arch, Real> sum;
  for_each_part<Arch, Real>(n, [&](index j, index count, index which) __attribute__((always_inline)) {
    sum.part[which] = multiply_add(rt::load<Arch>(a + j, count), rt::load<Arch>(b + j, count), sum.part[which]);
  });
  return sum.total();
}

}  // namespace residua::rt::detail
