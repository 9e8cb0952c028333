// What kernels promise besides their numbers: the same on every instruction set to rounding, the same bits on any number
// of threads, NaN where it goes and nowhere else, no memory taken, any contiguous tensor, and one clear message where an
// argument is wrong.
#define BOOST_TEST_MODULE kernel
#include "../rt/messages.hpp"
#include "compare.hpp"
#include "model_blocks.hpp"

#include <filesystem>
#include <model/awkward.hpp>
#include <model/every_part.hpp>
#include <model/gpt2_mlp.hpp>
#include <model/identity.hpp>
#include <model/image.hpp>
#include <model/layers.hpp>
#include <model/mixed.hpp>
#include <model/nothing.hpp>
#include <model/numbers.hpp>
#include <model/post_gated.hpp>
#include <model/small.hpp>
#include <model/terms.hpp>
#include <model/tokens.hpp>
#include <model/widening.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xview.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace rt = residua::rt;
using residua::test::message_of;

/// How often operator new was called so far; allocations.cpp replaces it.
long allocation_count();

namespace {

template <class Tensor>
void fill(Tensor& t, std::uint64_t seed, double scale = 1) {
  residua::oracle::noise source(seed);
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<typename Tensor::value_type>(scale * source.next());
}

/// Parameters that make a block do something: gains around 1, the rest small.
template <class Parameters>
Parameters noisy(Parameters p = {}) {
  std::uint64_t seed = 7;
  for_each(p, [&](std::string_view path, auto& t) {
    fill(t, ++seed, 0.05);
    if (path.ends_with("N.weight") || path.ends_with("P.weight") || path.ends_with("alpha"))
      for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] += 1;
  });
  return p;
}

std::vector<rt::instruction_set> machine_sets() {
  std::vector<rt::instruction_set> sets;
  for (rt::instruction_set set : {rt::instruction_set::baseline, rt::instruction_set::avx2, rt::instruction_set::avx512})
    if (rt::supported(set)) sets.push_back(set);
  return sets;
}

/// A model's Jacobian and gradients are compared at a small sample of their columns; a direction in which every entry counts is
/// compared besides.
template <class Real>
residua::oracle::tolerances affordable() {
  residua::oracle::tolerances allowed = residua::oracle::usual<Real>;
  allowed.most_work = 20'000'000;
  allowed.least_columns = 2;
  return allowed;
}

/// Every comparison with the oracle, on every instruction set of the machine.
template <template <class> class Kernel, template <class> class Parameters, class Block, std::size_t Rank>
void check_everywhere(Block block, std::array<std::size_t, Rank> shape) {
  for (rt::instruction_set set : machine_sets()) {
    rt::force_instruction_set(set);
    BOOST_TEST_CONTEXT("instruction set " << rt::name(set)) {
      residua::oracle::check_block<Kernel<double>>(block.view(), Parameters<double>{}, shape, 3, affordable<double>());
      residua::oracle::check_block<Kernel<float>>(block.view(), Parameters<float>{}, shape, 3, affordable<float>());
    }
  }
  rt::unforce_instruction_set();
}

}  // namespace

BOOST_AUTO_TEST_CASE(small_everywhere) {
  check_everywhere<model::small::kernel, model::small::parameters>(model_blocks::small, std::array<std::size_t, 3>{2, 97, 20});
}
BOOST_AUTO_TEST_CASE(layers_everywhere) {
  check_everywhere<model::layers::kernel, model::layers::parameters>(model_blocks::layers, std::array<std::size_t, 3>{1, 5, 20});
}
BOOST_AUTO_TEST_CASE(mixed_everywhere) {
  check_everywhere<model::mixed::kernel, model::mixed::parameters>(model_blocks::mixed, std::array<std::size_t, 3>{1, 5, 20});
}
BOOST_AUTO_TEST_CASE(image_everywhere) {
  check_everywhere<model::image::kernel, model::image::parameters>(model_blocks::image, std::array<std::size_t, 4>{2, 2, 3, 20});
}
BOOST_AUTO_TEST_CASE(tokens_everywhere) {
  check_everywhere<model::tokens::kernel, model::tokens::parameters>(model_blocks::tokens, std::array<std::size_t, 2>{3, 20});
}
BOOST_AUTO_TEST_CASE(identity_everywhere) {
  check_everywhere<model::identity::kernel, model::identity::parameters>(model_blocks::identity,
                                                                         std::array<std::size_t, 3>{1, 3, 20});
}
BOOST_AUTO_TEST_CASE(nothing_everywhere) {
  check_everywhere<model::nothing::kernel, model::nothing::parameters>(model_blocks::nothing,
                                                                       std::array<std::size_t, 3>{1, 3, 20});
}
BOOST_AUTO_TEST_CASE(widening_everywhere) {
  check_everywhere<model::widening::kernel, model::widening::parameters>(model_blocks::widening,
                                                                         std::array<std::size_t, 3>{1, 3, 20});
}
BOOST_AUTO_TEST_CASE(terms_everywhere) {
  check_everywhere<model::terms::kernel, model::terms::parameters>(model_blocks::terms, std::array<std::size_t, 3>{2, 5, 20});
}
BOOST_AUTO_TEST_CASE(numbers_of_tokens_everywhere) {
  check_everywhere<model::numbers::kernel, model::numbers::parameters>(model_blocks::numbers,
                                                                       std::array<std::size_t, 3>{2, 5, 20});
}
BOOST_AUTO_TEST_CASE(every_part_everywhere) {
  for (rt::instruction_set set : machine_sets()) {
    rt::force_instruction_set(set);
    BOOST_TEST_CONTEXT("instruction set " << rt::name(set)) {
      std::array<std::size_t, 3> const shape{2, 5, 20};
      residua::oracle::check_block<model::every_part::kernel<double>>(model_blocks::every_part.view(),
                                                                      model::every_part::parameters<double>({.r = 20, .s = 20}),
                                                                      shape, 3, affordable<double>());
      residua::oracle::check_block<model::every_part::kernel<float>>(model_blocks::every_part.view(),
                                                                     model::every_part::parameters<float>({.r = 20, .s = 20}),
                                                                     shape, 3, affordable<float>());
    }
  }
  rt::unforce_instruction_set();
}
BOOST_AUTO_TEST_CASE(awkward_everywhere) {
  check_everywhere<model::awkward::kernel, model::awkward::parameters>(model_blocks::awkward,
                                                                       std::array<std::size_t, 3>{1, 2, 20});
}
BOOST_AUTO_TEST_CASE(gpt2_mlp_everywhere) {
  check_everywhere<model::gpt2_mlp::kernel, model::gpt2_mlp::parameters>(model_blocks::gpt2_mlp,
                                                                         std::array<std::size_t, 3>{1, 2, 768});
}
BOOST_AUTO_TEST_CASE(post_gated_everywhere) {
  check_everywhere<model::post_gated::kernel, model::post_gated::parameters>(model_blocks::post_gated,
                                                                             std::array<std::size_t, 3>{1, 1, 768});
}

BOOST_AUTO_TEST_CASE(no_call_with_a_workspace_takes_memory) {
  model::small::kernel<float> const k(noisy<model::small::parameters<float>>());
  rt::tensor<float, 3> x = rt::zeros<float>(2, 50, 20), dx = x, y = x, dy = x;
  fill(x, 1);
  fill(dx, 2);
  auto scratch = k.make_workspace(2, 50);
  auto g = k.vjp(x, dx);
  k.forward(x, y, scratch);  // the first parallel region starts its threads
  long const before = allocation_count();
  k.forward(x, y, scratch);
  k.jvp(x, dx, y, dy, scratch);
  k.vjp(x, dx, g, scratch);
  BOOST_TEST(allocation_count() - before == 0);

  model::layers::kernel<float> const stack(noisy<model::layers::parameters<float>>());
  auto stack_scratch = stack.make_workspace(2, 50);
  auto of_stack = stack.vjp(x, dx);
  long const before_stack = allocation_count();
  stack.vjp(x, dx, of_stack, stack_scratch);
  BOOST_TEST(allocation_count() - before_stack == 0);
}

BOOST_AUTO_TEST_CASE(a_row_does_not_depend_on_its_neighbours) {
  model::small::kernel<float> const k(noisy<model::small::parameters<float>>());
  rt::tensor<float, 3> x = rt::zeros<float>(1, 200, 20);
  fill(x, 1);
  rt::tensor<float, 3> const y = k.forward(x);
  for (std::size_t t : {0u, 1u, 83u, 84u, 85u, 199u}) {
    rt::tensor<float, 3> const alone = k.forward(rt::tensor<float, 3>(xt::view(x, xt::all(), xt::range(t, t + 1), xt::all())));
    for (std::size_t i = 0; i < 20; ++i) BOOST_TEST(alone(0, 0, i) == y(0, t, i));
  }
}

#if defined(_OPENMP)
BOOST_AUTO_TEST_CASE(results_have_the_same_bits_on_any_number_of_threads) {
  model::layers::kernel<float> const k(noisy<model::layers::parameters<float>>());
  rt::tensor<float, 3> x = rt::zeros<float>(3, 100, 20), dy = x;
  fill(x, 1);
  fill(dy, 2);
  int const usual = omp_get_max_threads();
  omp_set_num_threads(1);
  rt::tensor<float, 3> const y = k.forward(x);
  auto const g = k.vjp(x, dy);
  for (int threads : {2, 3, 5}) {
    omp_set_num_threads(threads);
    BOOST_TEST((k.forward(x) == y));
    auto const other = k.vjp(x, dy);
    BOOST_TEST((other.x == g.x));
    std::vector<std::pair<std::string, std::vector<float>>> sums;
    for_each(g.parameters, [&](std::string_view path, auto const& t) {
      sums.emplace_back(path, std::vector<float>(t.data(), t.data() + t.size()));
    });
    std::size_t at = 0;
    for_each(other.parameters, [&](std::string_view path, auto const& t) {
      BOOST_TEST(std::equal(t.data(), t.data() + t.size(), sums[at].second.begin()), path << " on " << threads << " threads");
      ++at;
    });
  }
  omp_set_num_threads(usual);
}
#endif

BOOST_AUTO_TEST_CASE(nan_stays_in_its_token) {
  model::small::kernel<float> const k(noisy<model::small::parameters<float>>());
  rt::tensor<float, 3> x = rt::zeros<float>(1, 30, 20);
  fill(x, 1);
  rt::tensor<float, 3> const clean = k.forward(x);
  x(0, 17, 3) = std::numeric_limits<float>::quiet_NaN();
  rt::tensor<float, 3> const y = k.forward(x);
  for (std::size_t t = 0; t < 30; ++t)
    for (std::size_t i = 0; i < 20; ++i)
      if (t == 17) BOOST_TEST(std::isnan(y(0, t, i)));
      else BOOST_TEST(y(0, t, i) == clean(0, t, i));
}

BOOST_AUTO_TEST_CASE(large_means_are_no_danger) {
  auto const p = noisy<model::small::parameters<float>>();
  model::small::kernel<float> const k(p);
  rt::tensor<float, 3> x = rt::zeros<float>(1, 2, 20);
  for (std::size_t i = 0; i < 20; ++i) {
    x(0, 0, i) = 1234;                                      // variance 0
    x(0, 1, i) = 4e4f + 0.25f * static_cast<float>(i % 5);  // the spread is six digits below the mean
  }
  model::small::parameters<double> exact;
  std::vector<std::vector<double>> values;
  for_each(p, [&](std::string_view, auto const& t) { values.emplace_back(t.data(), t.data() + t.size()); });
  std::size_t at = 0;
  for_each(exact, [&](std::string_view, auto& t) { std::copy(values[at].begin(), values[at].end(), t.data()), ++at; });
  rt::tensor<double, 3> wide = rt::zeros<double>(1, 2, 20);
  std::copy(x.data(), x.data() + x.size(), wide.data());
  rt::tensor<float, 3> const y = k.forward(x);
  rt::tensor<double, 3> const y_exact = model::small::kernel<double>(exact).forward(wide);
  for (std::size_t i = 0; i < y.size(); ++i)
    BOOST_TEST(std::abs(static_cast<double>(y.data()[i]) - y_exact.data()[i]) <= 1e-6 * std::abs(y_exact.data()[i]));
}

BOOST_AUTO_TEST_CASE(foreign_memory_and_views_are_read_in_place) {
  model::small::kernel<float> const k(noisy<model::small::parameters<float>>());
  std::vector<float> memory(3 * 4 * 20), result(2 * 4 * 20);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::sin(static_cast<float>(i));
  auto x = xt::adapt(memory.data() + 80, 160, xt::no_ownership(), std::array<std::size_t, 3>{2, 4, 20});
  auto y = xt::adapt(result.data(), result.size(), xt::no_ownership(), std::array<std::size_t, 3>{2, 4, 20});
  auto scratch = k.make_workspace(2, 4);
  k.forward(x, y, scratch);
  rt::tensor<float, 3> all = rt::zeros<float>(3, 4, 20);
  std::copy(memory.begin(), memory.end(), all.data());
  rt::tensor<float, 3> const from_view = k.forward(xt::view(all, xt::range(1, 3), xt::all(), xt::all()));
  for (std::size_t i = 0; i < result.size(); ++i) BOOST_TEST(result[i] == from_view.data()[i]);
  xt::xarray<float> dynamic = all;
  BOOST_TEST(k.forward(dynamic).shape()[0] == 3u);
}

BOOST_AUTO_TEST_CASE(an_empty_stream_gives_an_empty_result) {
  model::small::kernel<float> const k(noisy<model::small::parameters<float>>());
  BOOST_TEST(k.forward(rt::zeros<float>(0, 4, 20)).size() == 0u);
  auto const g = k.vjp(rt::zeros<float>(2, 0, 20), rt::zeros<float>(2, 0, 20));
  BOOST_TEST(g.parameters.F.up.weight(3, 5) == 0.0f);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_have_one_clear_message) {
  auto p = noisy<model::small::parameters<float>>();
  model::small::kernel<float> const k(p);
  auto const x = rt::zeros<float>(2, 4, 20);
  auto scratch = k.make_workspace(2, 4);
  auto message = [](auto const& action) { return message_of(action); };
  BOOST_TEST(message([&] { k.forward(rt::zeros<float>(2, 4, 64)); }) == "x: axis c is 64, must be 20");
  BOOST_TEST(message([&] { k.forward(rt::zeros<float>(8, 20)); }) == "x: rank is 2 (8, 20), must be 3 (B, T, c)");
  BOOST_TEST(message([&] { k.vjp(rt::zeros<float>(8, 20), x); }) == "x: rank is 2 (8, 20), must be 3 (B, T, c)");
  BOOST_TEST(message([&] { k.jvp(rt::zeros<float>(1, 1, 1, 1, 2, 20), x); }).starts_with("x: rank is 6 "));
  BOOST_TEST(message([&] { k.jacobian(rt::zeros<float>(8, 20)); }) == "x: rank is 2 (8, 20), must be 3 (B, T, c)");
  BOOST_TEST(message([&] {
               auto g = k.vjp(x, x);
               k.vjp(x, g.x, g, scratch);
             }) == "g.x: overlaps another argument");
  BOOST_TEST(message([&] {
               auto y = x;
               k.jvp(x, x, y, y, scratch);
             }) == "dy: overlaps another argument");
  BOOST_TEST(message([&] { k.jvp(x, rt::zeros<float>(2, 3, 20)); }) == "dx: axis T is 3, must be 4 (as in x)");
  BOOST_TEST(message([&] { k.vjp(x, rt::zeros<float>(1, 4, 20)); }) == "dy: axis B is 1, must be 2 (as in x)");
  BOOST_TEST(message([&] { k.vjp(rt::zeros<float>(2, 0, 20), x); }) == "dy: axis T is 4, must be 0 (as in x)");
  BOOST_TEST(message([&] {
               auto y = rt::zeros<float>(2, 5, 20);
               k.forward(x, y, scratch);
             }) == "y: axis T is 5, must be 4 (as in x)");
  BOOST_TEST(message([&] {
               auto same = x;
               k.forward(same, same, scratch);
             }) == "y: overlaps another argument");
  BOOST_TEST(message([&] {
               rt::workspace other;
               auto y = x;
               k.forward(x, y, other);
             }).starts_with("workspace: holds 0 bytes per thread, needs "));
  xt::xtensor<float, 3, xt::layout_type::column_major> columns(std::array<std::size_t, 3>{2, 4, 20}, 0.0f);
  BOOST_TEST(message([&] { k.forward(columns); }).starts_with("x: not row-major and contiguous: "));
  p.F.up.weight = rt::zeros<float>(20, 35);
  BOOST_TEST(message([&] { model::small::kernel<float> wrong(p); }) == "F.up.weight: axis e is 35, must be 36");
  BOOST_TEST(message([&] { model::tokens::kernel<float>({}).forward(rt::zeros<float>(4, 20)); }) ==
             "x: axis fixed_T is 4, must be 3");
}

BOOST_AUTO_TEST_CASE(update_packs_new_parameters) {
  auto p = noisy<model::small::parameters<float>>();
  model::small::kernel<float> k(p);
  auto x = rt::zeros<float>(1, 4, 20);
  fill(x, 1);
  auto const before = k.vjp(x, x);
  for_each(p, [](std::string_view, auto& t) { t *= 1.5f; });
  k.update(p);
  auto const after = k.vjp(x, x);
  auto const fresh = model::small::kernel<float>(p).vjp(x, x);
  BOOST_TEST((after.x == fresh.x));
  BOOST_TEST((after.x != before.x));
}

BOOST_AUTO_TEST_CASE(parameters_are_born_zero_and_go_to_files_and_back) {
  namespace fs = std::filesystem;
  fs::path const folder = fs::temp_directory_path() / "residua_kernel_test";
  fs::remove_all(folder);
  auto const p = noisy<model::layers::parameters<double>>();
  p.save(folder);
  BOOST_TEST(fs::exists(folder / "h.2.F.up.weight.npy"));
  BOOST_TEST(fs::exists(folder / "h.0.alpha.npy"));
  BOOST_TEST((xt::load_npy<double>((folder / "h.1.F.down.weight.npy").string()) == p.h[1].F.down.weight));
  model::layers::parameters<double> q;
  BOOST_TEST(q.h[2].F.up.weight(3, 4) == 0.0);
  q.load(folder);
  BOOST_TEST((q.h[2].F.up.weight == p.h[2].F.up.weight));
  BOOST_TEST(q.h[0].alpha() == p.h[0].alpha());

  // Whatever is wrong with the files, the parameters stay as they are.
  auto unchanged = [&](std::string const& wanted) {
    model::layers::parameters<double> r;
    std::string const said = message_of([&] { r.load(folder); });
    BOOST_TEST(said.find(wanted) != said.npos, said);
    BOOST_TEST(r.h[0].F.up.weight(0, 0) == 0.0);
  };
  xt::dump_npy((folder / "h.0.X.npy").string(), rt::zeros<double>(2));
  unchanged("h.0.X.npy");
  fs::remove(folder / "h.0.X.npy");
  xt::dump_npy((folder / "h.2.N.bias.npy").string(), rt::zeros<double>(21));
  unchanged("h.2.N.bias.npy");
  fs::remove(folder / "h.2.N.bias.npy");
  unchanged("h.2.N.bias.npy");
  xt::dump_npy((folder / "h.2.N.bias.npy").string(), rt::zeros<float>(20));
  unchanged("h.2.N.bias.npy");
  fs::remove_all(folder);
  unchanged(folder.string());
}

BOOST_AUTO_TEST_CASE(for_each_is_found_by_its_argument_and_names_every_path) {
  model::mixed::parameters<float> p;
  std::string paths;
  for_each(p, [&](std::string_view path, auto& tensor) {
    paths += std::string(path) + "/" + std::to_string(tensor.dimension()) + " ";
  });
  BOOST_TEST(paths ==
             "h.0.L.weight/2 h.0.P.weight/1 h.0.P.bias/1 h.1.N.weight/1 h.1.N.bias/1 h.1.F.up.weight/2 h.1.F.up.bias/1 "
             "h.1.F.down.weight/2 h.1.alpha/0 h.2.N.weight/1 h.2.N.bias/1 h.2.F.up.weight/2 h.2.F.up.bias/1 h.2.F.down.weight/2 "
             "h.2.alpha/0 ");
  BOOST_TEST(p.h.layer_0.P.weight.size() == 20u);
}
