// Parameters on disk: what is written reads back, here and by xtensor; every damaged folder gives its own message and
// changes nothing.
#define BOOST_TEST_MODULE rt_npy
#include <residua/rt/io/npy.hpp>

#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

namespace residua::test {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed at its end.
struct folder {
  fs::path path =
      fs::temp_directory_path() / ("residua_npy_test_" + std::to_string(counter++) + "_" + std::to_string(::getpid()));
  static inline int counter = 0;
  folder() { fs::remove_all(path); }
  ~folder() { fs::remove_all(path); }
};

template <class Real>
struct three_parameters {
  std::vector<Real> weight = {1, 2, 3, 4, 5, 6}, bias = {7, 8, 9}, scale = {Real(0.5)};
  std::vector<rt::parameter_slot<Real>> slots{
      {"F.up.weight", {2, 3}, weight.data()}, {"F.up.bias", {3}, bias.data()}, {"alpha", {}, scale.data()}};

  std::string load(fs::path const& from) {
    try {
      rt::load_parameters<Real>(from, slots);
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "loaded";
  }
};

void write(fs::path const& file, std::string const& bytes) { std::ofstream(file, std::ios::binary) << bytes; }
std::string read(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

BOOST_AUTO_TEST_CASE(round_trip_and_xtensor) {
  folder f;
  three_parameters<float> p, q;
  rt::save_parameters<float>(f.path, p.slots);
  for (auto* v : {&q.weight, &q.bias, &q.scale}) std::fill(v->begin(), v->end(), 0.0F);
  BOOST_TEST(q.load(f.path) == "loaded");
  BOOST_TEST(q.weight == p.weight);
  BOOST_TEST(q.bias == p.bias);
  BOOST_TEST(q.scale == p.scale);
  auto const weight = xt::load_npy<float>((f.path / "F.up.weight.npy").string());
  BOOST_TEST((weight.dimension() == 2 && weight.shape()[0] == 2 && weight.shape()[1] == 3 && weight(1, 0) == 4.0F));
  BOOST_TEST(xt::load_npy<float>((f.path / "F.up.bias.npy").string())(2) == 9.0F);
  BOOST_TEST(read(f.path / "alpha.npy").find("'shape': (), ") != std::string::npos);
  BOOST_TEST(read(f.path / "alpha.npy").size() % 64 == 4U);
  for (auto const& entry : fs::directory_iterator(f.path)) BOOST_TEST(entry.path().extension() == ".npy");
  xt::dump_npy((f.path / "F.up.weight.npy").string(), xt::xarray<float>{{9, 8, 7}, {6, 5, 4}});
  BOOST_TEST(q.load(f.path) == "loaded");
  BOOST_TEST((q.weight == std::vector<float>{9, 8, 7, 6, 5, 4}));
  xt::xarray<float, xt::layout_type::column_major> const fortran{{1, 2, 3}, {4, 5, 6}};
  xt::dump_npy((f.path / "F.up.weight.npy").string(), fortran);
  BOOST_TEST(read(f.path / "F.up.weight.npy").find("'fortran_order': True") != std::string::npos);
  BOOST_TEST(q.load(f.path) == "loaded");
  BOOST_TEST((q.weight == std::vector<float>{1, 2, 3, 4, 5, 6}));
}

BOOST_AUTO_TEST_CASE(every_damage_has_its_message) {
  folder f;
  three_parameters<float> p;
  three_parameters<double> d;
  auto const weight = f.path / "F.up.weight.npy";
  auto const fails = [&](std::string const& expected, std::string const& bytes_of_weight) {
    if (!bytes_of_weight.empty()) write(weight, bytes_of_weight);
    std::fill(p.bias.begin(), p.bias.end(), -1.0F);
    std::fill(p.weight.begin(), p.weight.end(), -1.0F);
    std::string const message = p.load(f.path);
    BOOST_TEST(message == "residua: " + expected);
    BOOST_TEST((p.bias[0] == -1.0F && p.weight[0] == -1.0F));
  };
  fails("parameter folder " + f.path.string() + " does not exist", "");
  rt::save_parameters<float>(f.path, p.slots);
  std::string const good = read(weight);

  BOOST_TEST(d.load(f.path) == "residua: " + weight.string() +
                                   ": elements are <f4, must be <f8 (nothing is converted; load into the other scalar type)");
  fs::remove(weight);
  fails("parameter folder " + f.path.string() + " has no F.up.weight.npy", "");
  fs::remove(f.path / "F.up.bias.npy");
  fails("parameter folder " + f.path.string() + " has no F.up.weight.npy and 1 more", "");
  rt::save_parameters<float>(f.path, p.slots);

  write(f.path / "G.weight.npy", good);
  fails("parameter folder " + f.path.string() + " has G.weight.npy, which no parameter is named after", "");
  fs::remove(f.path / "G.weight.npy");

  std::string other = good;
  other.replace(other.find("(2, 3)"), 6, "(3, 2)");
  fails(weight.string() + ": shape is (3, 2), must be (2, 3)", other);
  fails(weight.string() + ": truncated: 20 bytes follow the header, must be 24", good.substr(0, good.size() - 4));
  fails(weight.string() + ": corrupt: 28 bytes follow the header, must be 24", good + "abcd");
  fails(weight.string() + ": truncated: it ends inside the header", good.substr(0, 40));
  fails(weight.string() + ": not a .npy file", "hello");
  fails(weight.string() + ": not a .npy file", "hello, this is a text and no array");
  other = good;
  other.replace(other.find("'shape'"), 7, "'shope'");
  fails(weight.string() + ": not a valid .npy file: its header has no 'shape'", other);
  other = good;
  other.replace(other.find("(2, 3)"), 6, "(2, x)");
  fails(weight.string() + ": not a valid .npy file: its shape is malformed", other);
  other = good;
  other[6] = '\7';
  fails(weight.string() + ": not a valid .npy file: format version 7 is unknown", other);
  write(weight, good);
  BOOST_TEST(p.load(f.path) == "loaded");
}

BOOST_AUTO_TEST_CASE(unwritable_folder) {
  folder f;
  write(f.path, "a file where the folder should be");
  three_parameters<float> p;
  std::string message;
  try {
    rt::save_parameters<float>(f.path / "sub", p.slots);
  } catch (std::runtime_error const& error) {
    message = error.what();
  }
  BOOST_TEST(message.starts_with("residua: parameter folder " + (f.path / "sub").string() + " cannot be created: "), message);
}

}  // namespace residua::test
