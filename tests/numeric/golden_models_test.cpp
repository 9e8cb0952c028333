// The published models' layers against NumPy: tests/oracle/models holds the references, written from the formulas without this
// project's code, and the numbers they gave (results, and gradients by complex steps). The runner computes them, on every
// instruction set of the machine.
#define BOOST_TEST_MODULE golden_models
#include "golden_models.hpp"
#include "runner_calls.hpp"

#include <cmath>
#include <filesystem>
#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

namespace {

namespace oracle = residua::oracle;

std::filesystem::path const golden = GOLDEN_FOLDER;

oracle::numbers read(std::filesystem::path const& file) {
  xt::xarray<double> const t = xt::load_npy<double>(file.string());
  return {{t.shape().begin(), t.shape().end()}, {t.begin(), t.end()}};
}

/// Every element within 1e-11 of the largest magnitude; at least 1e-11, for gradients that are zero but for rounding.
void check_close(std::string const& what, oracle::numbers const& actual, oracle::numbers const& wanted) {
  BOOST_REQUIRE_EQUAL(actual.data.size(), wanted.data.size());
  double most = 1, off = 0;
  for (std::size_t i = 0; i < wanted.data.size(); ++i) {
    most = std::max(most, std::abs(wanted.data[i]));
    off = std::isnan(actual.data[i]) ? INFINITY : std::max(off, std::abs(actual.data[i] - wanted.data[i]));
  }
  BOOST_TEST(off <= 1e-11 * most, what << " is off by " << off << ", largest is " << most);
}

void check_model(residua::graph::graph_view const& graph, std::string const& name, residua::rt::instruction_set set) {
  oracle::runner_calls<double> kernel(graph, {}, set);
  std::map<std::string, std::vector<double>, std::less<>> weights;
  for (auto const& [path, shape] : kernel.parameters()) {
    oracle::numbers const given = read(golden / name / "parameters" / (path + ".npy"));
    BOOST_REQUIRE((given.shape == shape.shape));
    weights[path] = given.data;
  }
  kernel.set(weights);
  for (std::string const length : {"T1", "T7", "T33"}) {
    std::filesystem::path const folder = golden / name / length;
    std::string const where = name + " " + length + ": ";
    oracle::tensors x;
    for (int at : graph.inputs) x.push_back(read(folder / (std::string(graph[at].symbol) + ".npy")));
    oracle::gradients const g = kernel.vjp(x, {read(folder / "dy.npy")}, {});
    check_close(where + "y", kernel.forward(x, {})[0], read(folder / "y.npy"));
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::string const gradient = "g" + std::string(graph.input(k).symbol);
      check_close(where + gradient, g.inputs[k], read(folder / (gradient + ".npy")));
    }
    if (!std::filesystem::exists(folder / "gradients")) continue;
    for (auto const& [path, gradient] : g.parameters)
      check_close(where + path, gradient, read(folder / "gradients" / (path + ".npy")));
  }
}

}  // namespace

#define CHECK_MODEL(name)                                                                                                \
  BOOST_AUTO_TEST_CASE(name) {                                                                                           \
    for (residua::rt::instruction_set set : oracle::machine_sets()) check_model(golden_models::name.view(), #name, set); \
  }
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
