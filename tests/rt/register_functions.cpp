// The register functions for RESIDUA_COMPILED_SET, for which this is compiled.
#include "register_functions.hpp"

#include <residua/rt/core/math.hpp>

namespace residua::test {

namespace {

template <class Arch, class Real>
struct of {
  static void exp(rt::matrix<Real const> x, rt::matrix<Real> y) {
    for (rt::index i = 0; i < x.rows; ++i)
      rt::for_each_register<Arch, Real>(x.columns, [&](rt::index j, rt::index count) {
        rt::store<Arch>(y.row(i) + j, rt::detail::exp(rt::load<Arch>(x.row(i) + j, count)), count);
      });
  }
  static Real partial(Real const* from, Real* to, rt::index count) {
    auto const lanes = rt::load<Arch>(from, count);
    rt::store<Arch>(to, lanes, count);
    return rt::reduce_add(lanes);
  }
};

}  // namespace

template <rt::instruction_set Set, class Real>
register_functions<Real> register_functions_for() {
  using own = of<rt::arch_of<Set>, Real>;
  return {Set, &own::exp, &own::partial};
}

template register_functions<float> register_functions_for<rt::instruction_set::RESIDUA_COMPILED_SET, float>();
template register_functions<double> register_functions_for<rt::instruction_set::RESIDUA_COMPILED_SET, double>();

}  // namespace residua::test
