// Attention kernels against the interpreter, on every instruction set of the machine.
#define BOOST_TEST_MODULE attention
#include "attention_blocks.hpp"
#include "compare.hpp"

#include <attention/capped.hpp>
#include <attention/grouped.hpp>
#include <attention/layers.hpp>
#include <attention/local.hpp>
#include <attention/parallel.hpp>
#include <attention/post_norm.hpp>
#include <attention/pre_norm.hpp>

namespace oracle = residua::oracle;

BOOST_AUTO_TEST_CASE(self_attention) {
  std::array<std::size_t, 3> shape{2, 7, 12};
  oracle::check_block<attention::pre_norm::kernel<double>>(attention_blocks::pre_norm.view(), attention::pre_norm::parameters<double>{}, shape, 1);
  oracle::check_block<attention::parallel::kernel<double>>(attention_blocks::parallel.view(), attention::parallel::parameters<double>{}, shape, 1);
  oracle::check_block<attention::grouped::kernel<double>>(attention_blocks::grouped.view(), attention::grouped::parameters<double>{}, shape, 1);
  oracle::check_block<attention::capped::kernel<double>>(attention_blocks::capped.view(), attention::capped::parameters<double>{}, shape, 1);
  oracle::check_block<attention::local::kernel<double>>(attention_blocks::local.view(), attention::local::parameters<double>{}, shape, 1);
  oracle::check_block<attention::layers::kernel<double>>(attention_blocks::layers.view(), attention::layers::parameters<double>{}, shape, 1);
  oracle::check_block<attention::post_norm::kernel<double>>(attention_blocks::post_norm.view(), attention::post_norm::parameters<double>{}, std::array<std::size_t, 3>{2, 7, 15}, 1);
}
