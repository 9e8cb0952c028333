// What the machine can do at most, for measurements to stand beside.
#pragma once

#include <residua/rt/core/simd.hpp>

#include <utility>

namespace residua::rt {

/// Twelve independent chains of `steps` fused multiply-adds in registers (a product and a sum where there is none). Gives the
/// number of operations; `result`, their sum, keeps them from being left out.
template <class Arch, class Real>
double multiply_add_chains(index steps, Real* result) {
  using lanes_type = batch<Real, Arch>;
  constexpr int chains = 12;
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    lanes_type sum[] = {lanes_type(static_cast<Real>(I))...};
    lanes_type const a(Real(0.999)), b(Real(0.001));
    for (index i = 0; i < steps; ++i) ((sum[I] = multiply_add(sum[I], a, b)), ...);
    lanes_type total(Real(0));
    ((total += sum[I]), ...);
    *result = rt::reduce_add(total);
  }(std::make_integer_sequence<int, chains>{});
  return 2.0 * chains * static_cast<double>(steps) * static_cast<double>(lanes<Real, Arch>);
}

}  // namespace residua::rt
