// Parameters on disk: what is written reads back, here and by xtensor; every damaged folder gives its own message and
// changes nothing.
#define BOOST_TEST_MODULE rt_npy
#include <residua/rt/io/parameters.hpp>

#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
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
std::string read_file(fs::path const& file) {
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
  BOOST_TEST(read_file(f.path / "alpha.npy").find("'shape': (), ") != std::string::npos);
  BOOST_TEST(read_file(f.path / "alpha.npy").size() % 64 == 4U);
  for (auto const& entry : fs::directory_iterator(f.path)) BOOST_TEST(entry.path().extension() == ".npy");
  xt::dump_npy((f.path / "F.up.weight.npy").string(), xt::xarray<float>{{9, 8, 7}, {6, 5, 4}});
  BOOST_TEST(q.load(f.path) == "loaded");
  BOOST_TEST((q.weight == std::vector<float>{9, 8, 7, 6, 5, 4}));
  xt::xarray<float, xt::layout_type::column_major> const fortran{{1, 2, 3}, {4, 5, 6}};
  xt::dump_npy((f.path / "F.up.weight.npy").string(), fortran);
  BOOST_TEST(read_file(f.path / "F.up.weight.npy").find("'fortran_order': True") != std::string::npos);
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
  std::string const good = read_file(weight);

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
  // What a dictionary may not be, and of a key that is there twice the last one, as in Python.
  auto const with = [&](std::string const& from, std::string const& to) {
    std::string text = good;
    std::size_t const end = text.find('\n');
    text.replace(text.find(from), from.size(), to);
    if (to.size() > from.size()) text.erase(end - (to.size() - from.size()), to.size() - from.size());  // of the spaces
    else text.insert(end - (from.size() - to.size()), from.size() - to.size(), ' ');
    return text;
  };
  for (std::string const damaged : {"Folse", "True1", "'True'", "false", "0"})
    fails(weight.string() + ": not a valid .npy file: its header has a 'fortran_order' that is neither True nor False",
          with("False", damaged));
  fails(weight.string() + ": not a valid .npy file: its header is no dictionary", with("{", "("));
  fails(weight.string() + ": not a valid .npy file: its header is no dictionary", with(", }", ""));
  fails(weight.string() + ": not a valid .npy file: its header is no dictionary", with("'descr'", "descr"));
  fails(weight.string() + ": not a valid .npy file: its header has no value of 'descr'", with("'descr':", "'descr'"));
  fails(weight.string() + ": its elements are not numbers of one type", with("'<f4'", "[('a', '<f4')]"));
  fails(weight.string() + ": shape is (3, 2), must be (2, 3)", with("(2, 3), }", "(2, 3), 'shape': (3, 2)}"));
  write(weight, with("'shape': (2, 3), }", "'shape': (3, 2), 'shape': (2, 3)}"));
  BOOST_TEST(p.load(f.path) == "loaded");
  write(weight, with("'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                     "\"shape\":(2,3),'fortran_order':False,'more':{'a':(1,)},\"descr\":\"<f4\"}"));
  BOOST_TEST(p.load(f.path) == "loaded");
  write(weight, good);
  BOOST_TEST(p.load(f.path) == "loaded");
}

namespace {

/// What lies in a folder.
std::vector<std::string> names_in(fs::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Parameters that are all one number.
struct uniform {
  std::vector<double> a = std::vector<double>(1000), b = std::vector<double>(3);
  std::vector<rt::parameter_slot<double>> slots{{"a", {10, 100}, a.data()}, {"b", {3}, b.data()}};

  explicit uniform(double value) {
    std::fill(a.begin(), a.end(), value);
    std::fill(b.begin(), b.end(), value);
  }
  bool is_whole() const {
    return std::all_of(a.begin(), a.end(), [&](double x) { return x == a[0]; }) && b == std::vector<double>(3, a[0]);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_folder_is_replaced_as_one_and_nothing_stays_behind) {
  folder f;
  fs::path const target = f.path / "runs" / "best";
  for (double value : {1.0, 2.0}) {
    rt::save_parameters<double>(target, uniform(value).slots);
    uniform read(0);
    rt::load_parameters<double>(target, read.slots);
    BOOST_TEST((read.is_whole() && read.a[0] == value));
    BOOST_TEST((names_in(target) == std::vector<std::string>{"a.npy", "b.npy"}));
    BOOST_TEST((names_in(f.path / "runs") == std::vector<std::string>{"best"}));
  }
  // Through a link to the folder, which stays a link.
  fs::create_directory_symlink("best", f.path / "runs" / "latest");
  rt::save_parameters<double>((f.path / "runs" / "latest/").string(), uniform(3).slots);
  BOOST_TEST(fs::is_symlink(f.path / "runs" / "latest"));
  uniform read(0);
  rt::load_parameters<double>(target, read.slots);
  BOOST_TEST(read.a[0] == 3);
  // What else is there stays.
  write(target / "notes.txt", "mine");
  write(target / "c.npy", "mine too");
  rt::save_parameters<double>(target, uniform(4).slots);
  BOOST_TEST((names_in(target) == std::vector<std::string>{"a.npy", "b.npy", "c.npy", "notes.txt"}));
  BOOST_TEST((names_in(f.path / "runs") == std::vector<std::string>{"best", "latest"}));
  fs::remove(target / "c.npy");
  rt::load_parameters<double>(target, read.slots);
  BOOST_TEST((read.is_whole() && read.a[0] == 4));
  // A link in place of a file is replaced, not followed.
  write(f.path / "elsewhere", "untouched");
  fs::remove(target / "b.npy");
  fs::create_symlink(f.path / "elsewhere", target / "b.npy");
  rt::save_parameters<double>(target, uniform(5).slots);
  BOOST_TEST((read_file(f.path / "elsewhere") == "untouched"));
  rt::load_parameters<double>(target, read.slots);
  BOOST_TEST((read.is_whole() && read.a[0] == 5));
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written_stays_as_it_was) {
  folder f;
  rt::save_parameters<double>(f.path, uniform(1).slots);
  uniform wrong(2), read(0);
  wrong.slots[1].path = "no/such/folder/b";  // the second file cannot be made
  BOOST_CHECK_THROW(rt::save_parameters<double>(f.path, wrong.slots), std::runtime_error);
  rt::load_parameters<double>(f.path, read.slots);
  BOOST_TEST((read.is_whole() && read.a[0] == 1));
  BOOST_TEST((names_in(f.path) == std::vector<std::string>{"a.npy", "b.npy"}));
  std::string const own = f.path.filename().string();
  for (std::string const& name : names_in(f.path.parent_path())) BOOST_TEST((name == own || !name.starts_with(own)), name);
}

BOOST_AUTO_TEST_CASE(who_stands_in_the_folder_stays_in_it) {
  folder f;
  fs::create_directories(f.path);
  fs::path const before = fs::current_path();
  fs::current_path(f.path);
  for (double value : {1.0, 2.0}) {
    uniform read(0);
    rt::save_parameters<double>(".", uniform(value).slots);
    rt::load_parameters<double>(".", read.slots);
    BOOST_TEST((read.is_whole() && read.a[0] == value));
  }
  BOOST_TEST((names_in(".") == std::vector<std::string>{"a.npy", "b.npy"}));
  fs::current_path(before);
}

#if defined(RENAME_EXCHANGE)
/// Whether the file system swaps folders.
boost::test_tools::assertion_result swaps_folders(boost::unit_test::test_unit_id) {
  folder f;
  fs::create_directories(f.path / "a");
  fs::create_directories(f.path / "b");
  return ::renameat2(AT_FDCWD, (f.path / "a").c_str(), AT_FDCWD, (f.path / "b").c_str(), RENAME_EXCHANGE) == 0;
}

BOOST_AUTO_TEST_CASE(readers_beside_writers_find_one_set_or_the_other, *boost::unit_test::precondition(swaps_folders)) {
  folder f;
  rt::save_parameters<double>(f.path, uniform(-1).slots);
  std::atomic<bool> done = false;
  auto const write_many = [&](double sign) {
    for (int i = 1; i <= 200; ++i) rt::save_parameters<double>(f.path, uniform(sign * i).slots);
  };
  std::vector<std::string> problems;
  std::thread reader([&] {
    while (!done) {
      uniform p(0);
      try {
        rt::load_parameters<double>(f.path, p.slots);
        if (!p.is_whole()) problems.push_back("a mixture");
      } catch (std::exception const& error) {
        problems.push_back(error.what());
      }
    }
  });
  std::thread first(write_many, 1.0), second(write_many, -1.0);
  first.join();
  second.join();
  done = true;
  reader.join();
  BOOST_TEST((problems == std::vector<std::string>{}), (problems.empty() ? std::string() : problems[0]));
  BOOST_TEST((names_in(f.path) == std::vector<std::string>{"a.npy", "b.npy"}));
  std::string const own = f.path.filename().string();
  for (std::string const& name : names_in(f.path.parent_path())) BOOST_TEST((name == own || !name.starts_with(own)), name);
}

#endif

BOOST_AUTO_TEST_CASE(tensors_that_were_moved_from_are_told) {
  folder f;
  uniform p(1);
  p.slots[1].data = nullptr;
  for (bool save : {false, true}) {
    std::string message;
    try {
      if (save) rt::save_parameters<double>(f.path, p.slots);
      else rt::load_parameters<double>(f.path, p.slots);
    } catch (std::invalid_argument const& error) {
      message = error.what();
    }
    BOOST_TEST(message == "b: has a shape but no memory; it was moved from");
  }
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
