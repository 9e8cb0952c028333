// A second unit with the kernels in it: without the package's library, what two units bring must be one.
#include "testing.hpp"

namespace residua::test {

BOOST_AUTO_TEST_CASE(units_share_one_table) {
  rt::instruction_set const set = rt::compiled_instruction_sets().front();
  BOOST_TEST(&kernel_tables<float>() == &kernel_tables<float>());
  BOOST_TEST((rt::functions_for<float>(set).set == set));
  float const x = 2;
  float y = 0;
  rt::functions_for<float>(set).scale(3, {&x, 1, 1, 1}, {&y, 1, 1, 1});
  BOOST_TEST(y == 6.0F);
}

}  // namespace residua::test
