// The golden files, compiled and run.
#define BOOST_TEST_MODULE golden
#include "blocks.hpp"
#include "compare.hpp"

#include <golden_kernels/pre_norm.hpp>

BOOST_AUTO_TEST_CASE(pre_norm) {
  residua::oracle::check_block<golden_kernels::pre_norm::kernel<float>>(
      golden::pre_norm.view(), golden_kernels::pre_norm::parameters<float>{}, std::array<std::size_t, 3>{1, 3, 8}, 1);
}
