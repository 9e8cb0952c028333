// compare.hpp on kernels that are right (the interpreter itself in their place) and wrong in one way each: a comparison
// that accepts a wrong kernel, rejects a right one, or blames the wrong thing.
#define BOOST_TEST_MODULE compare
#include "compare.hpp"
#include <residua/dsl.hpp>
#include <residua/reference/derivative.hpp>

namespace blocks {
using namespace residua::dsl;
inline constexpr axis<"T"> T;
inline constexpr axis<"d"> d;  // a run-time width
inline constexpr axis<"h", 7> h;
inline constexpr auto block = residua::dsl::block<"pre">(stream(T, d), [](auto x) {
  return x + learned_scalar<"alpha"> *
                 branch<"F">(linear<"up">(d, h, with_bias) | relu | linear<"down">(h, d))(layer_norm<"N">(d)(x));
});
}  // namespace blocks

/// What a generator would have written, with the interpreter for its kernels.
namespace my_kernels::pre {

struct extents {
  std::int64_t d = 0;
};

template <class Real>
struct parameters {
  explicit parameters(extents at) {
    auto const d = static_cast<std::size_t>(at.d);
    N.weight = N.bias = xt::xtensor<Real, 1>::from_shape({d});
    F.up.weight = xt::xtensor<Real, 2>::from_shape({d, 7});
    F.up.bias = xt::xtensor<Real, 1>::from_shape({7});
    F.down.weight = xt::xtensor<Real, 2>::from_shape({7, d});
  }
  xt::xtensor<Real, 0> alpha;
  struct {
    xt::xtensor<Real, 1> weight, bias;
  } N;
  struct {
    struct {
      xt::xtensor<Real, 2> weight;
      xt::xtensor<Real, 1> bias;
    } up;
    struct {
      xt::xtensor<Real, 2> weight;
    } down;
  } F;
};

template <class Parameters, class Function>
  requires requires(Parameters p) { p.F.up.weight; }
void for_each(Parameters&& p, Function f) {
  f("N.weight", p.N.weight);
  f("N.bias", p.N.bias);
  f("F.up.weight", p.F.up.weight);
  f("F.up.bias", p.F.up.bias);
  f("F.down.weight", p.F.down.weight);
  f("alpha", p.alpha);
}

enum class fault { none, value, shape, slope, pulled, bias, scalar, one_weight, dense, trace, nan };
inline fault planted = fault::none;

template <class Real>
class kernel {
 public:
  explicit kernel(parameters<Real> const& p) : gradient_(p) {
    problem_.graph = blocks::block.view();
    problem_.lengths = {{"d", static_cast<std::int64_t>(p.N.weight.size())}};
    for_each(p, [&](std::string path, auto const& t) { problem_.weights[path] = {t.data(), t.data() + t.size()}; });
  }

  xt::xtensor<Real, 2> forward(xt::xtensor<Real, 2> const& x, residua::rt::padding const&) const {
    xt::xtensor<Real, 2> y = like(x, residua::oracle::output(at(x)));
    if (planted == fault::value) y(0, 1) += Real(0.001);
    if (planted == fault::nan) y(0, 1) = std::numeric_limits<Real>::quiet_NaN();
    if (planted == fault::shape) return xt::xtensor<Real, 2>::from_shape({x.shape(1), x.shape(0)});
    return y;
  }
  std::pair<xt::xtensor<Real, 2>, xt::xtensor<Real, 2>> jvp(xt::xtensor<Real, 2> const& x, xt::xtensor<Real, 2> const& dx,
                                                            residua::rt::padding const&) const {
    xt::xtensor<Real, 2> dy = like(x, residua::oracle::jvp(at(x), "", {dx.data(), dx.data() + dx.size()}));
    if (planted == fault::slope) dy(1, 0) *= Real(1.001);
    return {like(x, residua::oracle::output(at(x))), dy};
  }
  struct gradients {
    xt::xtensor<Real, 2> x;
    my_kernels::pre::parameters<Real> parameters;
  };
  gradients vjp(xt::xtensor<Real, 2> const& x, xt::xtensor<Real, 2> const& dy, residua::rt::padding const&) const {
    std::vector<Real> const g(dy.data(), dy.data() + dy.size());
    gradients made{like(x, residua::oracle::vjp(at(x), "", g)), gradient_};
    for_each(made.parameters, [&](std::string path, auto& t) {
      std::vector<Real> const entries = residua::oracle::vjp(at(x), path, g);
      std::copy(entries.begin(), entries.end(), t.data());
    });
    if (planted == fault::pulled) made.x(0, 0) += Real(0.01);
    if (planted == fault::bias) made.parameters.N.bias(1) = 0;
    if (planted == fault::scalar) made.parameters.alpha() *= Real(1.01);
    if (planted == fault::one_weight) made.parameters.F.up.weight(2, 3) += Real(0.01);
    return made;
  }
  xt::xtensor<Real, 2> jacobian(xt::xtensor<Real, 2> const& x, residua::rt::padding const&) const {
    auto const dense = residua::oracle::dense_jacobian(at(x));
    auto made = xt::xtensor<Real, 2>::from_shape({dense.rows, dense.columns});
    std::copy(dense.data.begin(), dense.data.end(), made.data());
    if (planted == fault::dense) std::swap(made(0, 1), made(1, 0));
    return made;
  }
  Real jacobian_trace(xt::xtensor<Real, 2> const& x, residua::rt::padding const& given) const {
    auto const dense = jacobian(x, given);
    Real sum = 0;
    for (std::size_t i = 0; i < dense.shape(0); ++i) sum += dense(i, i);
    return planted == fault::trace ? sum * Real(1.001) : sum;
  }

 private:
  residua::oracle::problem<Real> at(xt::xtensor<Real, 2> const& x) const {
    auto made = problem_;
    made.lengths["T"] = static_cast<std::int64_t>(x.shape(0));
    made.inputs.assign(1, {x.data(), x.data() + x.size()});
    return made;
  }
  static xt::xtensor<Real, 2> like(xt::xtensor<Real, 2> const& x, std::vector<Real> const& numbers) {
    auto made = xt::xtensor<Real, 2>::from_shape({x.shape(0), x.shape(1)});
    std::copy(numbers.begin(), numbers.end(), made.data());
    return made;
  }

  residua::oracle::problem<Real> problem_;
  parameters<Real> gradient_;
};

}  // namespace my_kernels::pre

namespace {
namespace mine = my_kernels::pre;
using residua::oracle::finding;

/// What the comparisons object to, when this fault is planted.
template <class Real>
std::string objections(mine::fault fault, residua::oracle::tolerances allowed = residua::oracle::usual<Real>) {
  mine::planted = fault;
  std::string list;
  for (finding const& each : residua::oracle::compare_block<mine::kernel<Real>>(
           blocks::block.view(), mine::parameters<Real>(mine::extents{.d = 5}), std::array<std::size_t, 2>{3, 5}, 11, allowed))
    if (!each.problem.empty()) list += each.what + "; ";
  mine::planted = mine::fault::none;
  return list;
}

template <class Real>
void check_all() {
  using mine::fault;
  BOOST_TEST(objections<Real>(fault::none) == "");
  BOOST_TEST(objections<Real>(fault::value) == "forward; ");
  BOOST_TEST(objections<Real>(fault::nan) == "forward; ");
  BOOST_TEST(objections<Real>(fault::shape).starts_with("forward: shape; "));
  BOOST_TEST(objections<Real>(fault::slope).starts_with("jvp: dy; "));
  BOOST_TEST(objections<Real>(fault::pulled) == "vjp: x; <u, J v> = <J^T u, v>; ");
  BOOST_TEST(objections<Real>(fault::bias) == "vjp: parameters N.bias; vjp: parameters N.bias, along a direction; ");
  BOOST_TEST(objections<Real>(fault::scalar) == "vjp: parameters alpha; vjp: parameters alpha, along a direction; ");
  BOOST_TEST(objections<Real>(fault::one_weight) ==
             "vjp: parameters F.up.weight; vjp: parameters F.up.weight, along a direction; ");
  BOOST_TEST(objections<Real>(fault::dense).starts_with("jacobian; "));
  BOOST_TEST(objections<Real>(fault::trace) == "jacobian_trace; ");
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_right_kernel_passes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::size_t d : {1u, 2u, 3u, 8u}) {
      auto const at = mine::extents{.d = static_cast<std::int64_t>(d)};
      residua::oracle::check_block<mine::kernel<double>>(blocks::block.view(), mine::parameters<double>(at),
                                                         std::array{std::size_t{3}, d}, seed);
      residua::oracle::check_block<mine::kernel<float>>(blocks::block.view(), mine::parameters<float>(at),
                                                        std::array{std::size_t{3}, d}, seed);
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_kernel_is_blamed_for_what_is_wrong) {
  check_all<double>();
  check_all<float>();
}

BOOST_AUTO_TEST_CASE(a_sample_of_columns_still_sees_every_parameter_entry) {
  residua::oracle::tolerances sampling = residua::oracle::usual<double>;
  sampling.most_work = 0;
  BOOST_TEST(objections<double>(mine::fault::none, sampling) == "");
  BOOST_TEST(objections<double>(mine::fault::one_weight, sampling).find("F.up.weight, along a direction") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(parameters_of_a_wrong_shape_are_named) {
  auto p = mine::parameters<double>(mine::extents{.d = 5});
  p.F.down.weight = xt::xtensor<double, 2>::from_shape({7, 6});
  auto const found = residua::oracle::compare_block<mine::kernel<double>>(
      blocks::block.view(), p, std::array<std::size_t, 2>{3, 5}, 1, residua::oracle::usual<double>);
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].what == "F.down.weight");
  BOOST_TEST(found[0].problem == "axis d is 6, must be 5");
}
