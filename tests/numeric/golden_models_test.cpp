// Kernels of the published models' layers against NumPy: tests/oracle/models holds the references, written from the formulas
// without this project's code, and the numbers they gave (results, and gradients by complex steps).
#define BOOST_TEST_MODULE golden_models
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <golden_models/bert.hpp>
#include <golden_models/gemma2.hpp>
#include <golden_models/gpt2.hpp>
#include <golden_models/gpt_neox.hpp>
#include <golden_models/gptj.hpp>
#include <golden_models/llama2.hpp>
#include <golden_models/llama3.hpp>
#include <golden_models/mistral.hpp>
#include <golden_models/olmo2.hpp>
#include <golden_models/qwen3.hpp>
#include <golden_models/transformer_decoder.hpp>
#include <golden_models/transformer_encoder.hpp>
#include <golden_models/vit.hpp>
#include <map>
#include <string>
#include <xtensor/xnpy.hpp>

namespace {

std::filesystem::path const golden = GOLDEN_FOLDER;

using stream = xt::xtensor<double, 3>;

stream read(std::filesystem::path const& file) { return xt::load_npy<double>(file.string()); }

/// Every element within 1e-11 of the largest magnitude; at least 1e-11, for gradients that are zero but for rounding.
template <class A, class B>
void check_close(std::string const& what, A const& actual, B const& wanted) {
  BOOST_REQUIRE_EQUAL(actual.size(), wanted.size());
  double most = 1, off = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    most = std::max(most, std::abs(wanted.data()[i]));
    off = std::isnan(actual.data()[i]) ? INFINITY : std::max(off, std::abs(actual.data()[i] - wanted.data()[i]));
  }
  BOOST_TEST(off <= 1e-11 * most, what << " is off by " << off << ", largest is " << most);
}

/// Gradients by path against the files of the same names; every file is asked for.
template <class Parameters>
void check_gradients(std::string const& where, Parameters const& gradients, std::filesystem::path const& folder) {
  Parameters wanted;
  wanted.load(folder);
  std::map<std::string, std::vector<double>, std::less<>> numbers;
  for_each(wanted, [&](std::string_view path, auto const& t) { numbers[std::string(path)] = {t.begin(), t.end()}; });
  for_each(gradients, [&](std::string_view path, auto const& t) {
    check_close(where + std::string(path), t, numbers.at(std::string(path)));
  });
}

template <class Kernel, class Parameters>
void check_model(std::string const& name) {
  Parameters p;
  p.load(golden / name / "parameters");
  Kernel const k(p);
  for (std::string length : {"T1", "T7", "T33"}) {
    std::filesystem::path const folder = golden / name / length;
    std::string const where = name + " " + length + ": ";
    stream const x = read(folder / "x.npy"), dy = read(folder / "dy.npy");
    auto compare = [&](auto const& y, auto const& g) {
      check_close(where + "y", y, read(folder / "y.npy"));
      check_close(where + "gx", g.x, read(folder / "gx.npy"));
      if (std::filesystem::exists(folder / "gradients")) check_gradients(where, g.parameters, folder / "gradients");
    };
    if constexpr (requires { typename Kernel::memory_tensor; }) {
      stream const memory = read(folder / "memory.npy");
      auto const g = k.vjp(x, memory, dy);
      compare(k.forward(x, memory), g);
      check_close(where + "gmemory", g.memory, read(folder / "gmemory.npy"));
    } else {
      compare(k.forward(x), k.vjp(x, dy));
    }
  }
}

}  // namespace

#define CHECK_MODEL(name) \
  BOOST_AUTO_TEST_CASE(name) { check_model<golden_models::name::kernel<double>, golden_models::name::parameters<double>>(#name); }
CHECK_MODEL(gpt2)
CHECK_MODEL(bert)
CHECK_MODEL(vit)
CHECK_MODEL(transformer_encoder)
CHECK_MODEL(transformer_decoder)
CHECK_MODEL(gptj)
CHECK_MODEL(gpt_neox)
CHECK_MODEL(llama2)
CHECK_MODEL(llama3)
CHECK_MODEL(mistral)
CHECK_MODEL(gemma2)
CHECK_MODEL(qwen3)
CHECK_MODEL(olmo2)
