// The border to xtensor: what is accepted without a copy, and each rejection with its text.
#define BOOST_TEST_MODULE rt_tensor
#include <residua/rt/interface/argument_checks.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <vector>

namespace residua::test {

using rt::index;

template <class Tensor>
std::string verdict(Tensor const& t, std::vector<rt::extent_rule> const& rules) {
  try {
    rt::tensor_view<typename Tensor::value_type const> const view(t);
    rt::check_tensor({{}, "x"}, view, view.data, rules);
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<rt::extent_rule> const stream{{"B"}, {"T"}, {"d", 768}};

static_assert(rt::contiguous_tensor<xt::xtensor<float, 3>>);
static_assert(rt::contiguous_tensor<xt::xarray<double> const&>);
static_assert(!rt::contiguous_tensor<std::vector<float>>);
static_assert(!rt::contiguous_tensor<decltype(xt::xtensor<float, 1>() + 1.0F)>);

BOOST_AUTO_TEST_CASE(accepted_without_a_copy) {
  xt::xtensor<float, 3> x = xt::zeros<float>({2, 4, 768});
  xt::xarray<float> const dynamic = x;
  std::vector<float> memory(2 * 4 * 768);
  auto adapted = xt::adapt(memory, std::array<std::size_t, 3>{2, 4, 768});
  auto foreign = xt::adapt(memory.data(), memory.size(), xt::no_ownership(), std::array<std::size_t, 3>{2, 4, 768});
  auto second = xt::view(x, 1, xt::all(), xt::all());
  auto one_row = xt::view(x, xt::range(1, 2), xt::range(2, 3), xt::all());
  BOOST_TEST(verdict(x, stream) == "accepted");
  BOOST_TEST(verdict(dynamic, stream) == "accepted");
  BOOST_TEST(verdict(adapted, stream) == "accepted");
  BOOST_TEST(verdict(foreign, stream) == "accepted");
  BOOST_TEST(verdict(second, {{"T", 4}, {"d", 768}}) == "accepted");
  BOOST_TEST(verdict(one_row, stream) == "accepted");
  BOOST_TEST(rt::tensor_view<float>(x).data == x.data());
  BOOST_TEST(rt::tensor_view<float>(adapted).data == memory.data());
  BOOST_TEST(rt::tensor_view<float const>(foreign).data == memory.data());
  BOOST_TEST(rt::tensor_view<float const>(second).data == &x(1, 0, 0));
  BOOST_TEST(rt::tensor_view<float const>(one_row).data == &x(1, 2, 0));
  BOOST_TEST(rt::tensor_view<float const>(x).size() == 2 * 4 * 768);
}

BOOST_AUTO_TEST_CASE(empty_tensors) {
  xt::xtensor<float, 3> const no_tokens = xt::xtensor<float, 3>::from_shape({2, 0, 768});
  BOOST_TEST(verdict(no_tokens, stream) == "accepted");
  BOOST_TEST(rt::tensor_view<float const>(no_tokens).size() == 0);
  BOOST_TEST(verdict(xt::xtensor<float, 3>(std::array<std::size_t, 3>{2, 0, 64}), stream) == "x: axis d is 64, must be 768");
}

BOOST_AUTO_TEST_CASE(rejections) {
  BOOST_TEST(verdict(xt::xtensor<float, 3>(std::array<std::size_t, 3>{2, 4, 64}), stream) == "x: axis d is 64, must be 768");
  BOOST_TEST(verdict(xt::xtensor<float, 3>(std::array<std::size_t, 3>{2, 3, 768}), {{"B", 2, "x"}, {"T", 4, "x"}, {"d", 768}}) ==
             "x: axis T is 3, must be 4 (as in x)");
  BOOST_TEST(verdict(xt::xtensor<float, 2>(std::array<std::size_t, 2>{8, 768}), stream) ==
             "x: rank is 2 (8, 768), must be 3 (B, T, d)");
  BOOST_TEST(verdict(xt::xtensor<float, 2>(std::array<std::size_t, 2>{4, 768}), {{"T", 0, "x"}, {"d", 768}}) ==
             "x: axis T is 4, must be 0 (as in x)");
  xt::xtensor<float, 3> x = xt::zeros<float>({2, 4, 768});
  auto const skipped = xt::view(x, xt::all(), xt::range(0, 2), xt::all());
  BOOST_TEST(verdict(skipped, stream) ==
             "x: not row-major and contiguous: axis B has stride 3072, must have 1536; assign it to an xt::xtensor first");
  xt::xtensor<float, 2, xt::layout_type::column_major> const columns = xt::zeros<float>({4, 768});
  BOOST_TEST(verdict(columns, {{"T"}, {"d", 768}}) ==
             "x: not row-major and contiguous: axis d has stride 4, must have 1; assign it to an xt::xtensor first");
  auto const taken = std::move(x);
  BOOST_TEST(verdict(x, stream) == "x: has a shape but no memory; it was moved from, or adapts a null pointer");
}

}  // namespace residua::test
