// The golden files, compiled and run: each block against the interpreter.
#define BOOST_TEST_MODULE golden
#include "blocks.hpp"
#include "compare.hpp"

#include <golden_kernels/decoder.hpp>
#include <golden_kernels/layers.hpp>
#include <golden_kernels/names.hpp>
#include <golden_kernels/pre_norm.hpp>
#include <golden_kernels/two_streams.hpp>

using shape3 = std::array<std::size_t, 3>;

BOOST_AUTO_TEST_CASE(pre_norm) {
  residua::oracle::check_block<golden_kernels::pre_norm::kernel<float>>(
      golden::pre_norm.view(), golden_kernels::pre_norm::parameters<float>{}, shape3{1, 3, 8}, 1);
}

BOOST_AUTO_TEST_CASE(decoder) {
  residua::oracle::check_block<golden_kernels::decoder::kernel<float>>(
      golden::decoder.view(), golden_kernels::decoder::parameters<float>({.w = 20}), shape3{2, 5, 8}, 1,
      residua::oracle::usual<float>, {.others = {{"S", 3}}});
}

BOOST_AUTO_TEST_CASE(layers) {
  residua::oracle::check_block<golden_kernels::layers::kernel<float>>(
      golden::layers.view(), golden_kernels::layers::parameters<float>{}, shape3{2, 4, 8}, 1);
}

BOOST_AUTO_TEST_CASE(names) {
  residua::oracle::check_block<golden_kernels::names::kernel<float>>(
      golden::names.view(), golden_kernels::names::parameters<float>{}, shape3{1, 3, 8}, 1);
}

BOOST_AUTO_TEST_CASE(two_streams) {
  residua::oracle::check_block<golden_kernels::two_streams::kernel<float>>(
      golden::two_streams.view(), golden_kernels::two_streams::parameters<float>{}, shape3{2, 4, 8}, 1);
}
