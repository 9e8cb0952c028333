// Elementary functions on registers, and registers of which a part is used: a wrong exponent, tails that read or write beyond.
#define BOOST_TEST_MODULE rt_register
#include "register_functions.hpp"
#include "testing.hpp"

namespace residua::test {

using real = long double;
using enum rt::instruction_set;

template <class Real>
std::vector<register_functions<Real>> register_tables() {
  std::vector<register_functions<Real>> tables;
  auto const add = [&]<rt::instruction_set... Set>() {
    ((rt::supported(Set) ? tables.push_back(register_functions_for<Set, Real>()) : static_cast<void>(0)), ...);
  };
  add.template operator()<RESIDUA_COMPILED_SETS>();
  return tables;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(exp_is_accurate_everywhere, Real, scalars) {
  for (auto const& registers : register_tables<Real>()) {
    index const n = 20000;
    double const reach = sizeof(Real) == 4 ? 88 : 708;
    guarded<Real> x(1, n), y(1, n);
    numbers random(2);
    for (index j = 0; j < n; ++j) x.at(0, j) = static_cast<Real>(random() * (j % 2 ? 1 : reach));
    registers.exp(x.view(), y.view());
    worst w;
    for (index j = 0; j < n; ++j) {
      real const e = std::exp(real(x.at(0, j)));
      if (static_cast<double>(x.at(0, j)) > (sizeof(Real) == 4 ? -86.9 : -708.0))
        w.compare(static_cast<double>(y.at(0, j)), static_cast<double>(e), 1.5 * epsilon_of<Real> * static_cast<double>(e),
                  std::to_string(x.at(0, j)));
    }
    RESIDUA_CHECK_WORST(w, name(registers.set));
    double const infinity = std::numeric_limits<double>::infinity();
    for (auto [argument, expected] :
         {std::pair{infinity, infinity}, {-infinity, 0.0}, {1e5, infinity}, {-1e5, 0.0}, {0.0, 1.0}, {nan, nan}}) {
      guarded<Real> a(1, 1), b(1, 1);
      a.fill(argument);
      registers.exp(a.view(), b.view());
      BOOST_TEST((static_cast<double>(b.at(0, 0)) == expected || (std::isnan(expected) && std::isnan(b.at(0, 0)))),
                 name(registers.set) << " exp " << argument << " is " << b.at(0, 0));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(partial_registers, Real, scalars) {
  for (auto const& registers : register_tables<Real>())
    for (index count = 0; count <= rt::functions_for<Real>(registers.set).lanes; ++count) {
      std::vector<Real> from(static_cast<std::size_t>(count), Real(2)), to(static_cast<std::size_t>(count));
      BOOST_TEST(registers.partial(from.data(), to.data(), count) == Real(2) * static_cast<Real>(count));
      BOOST_TEST(from == to);
    }
}

}  // namespace residua::test
