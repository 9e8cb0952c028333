// What the driver writes: the files that the build knows, the same each time, of a size that depends neither on widths nor on a
// stack's layers; and what it refuses.
#define BOOST_TEST_MODULE emission
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/driver.hpp>
#include <residua/codegen/targets/target.hpp>
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;
namespace codegen = residua::codegen;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"c", 4> c;

template <std::int64_t Width, std::int64_t Hidden>
struct sized {
  static constexpr axis<"d", Width> d{};
  static constexpr axis<"h", Hidden> h{};
  static constexpr auto N = layer_norm<"N">(d);
  static constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias));
  static constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
};

template <int Layers>
constexpr auto pre_norms = stack<"h", Layers>(sized<8, 16>::pre_norm);

constexpr auto macro = block<"macro">(stream(T, c), [](auto x) { return x + linear<"F.errno">(c, c)(x); });
constexpr axis<"unix"> unix_axis;
constexpr auto macro_axis = block<"macro_axis">(stream(T, unix_axis), [](auto x) { return x + residua::dsl::tanh(x); });
constexpr auto layer_named = map<"layer_named">(stream(B, T, sized<8, 16>::d),
                                                [](auto x) { return layer_norm<"h.layer_0">(sized<8, 16>::d)(pre_norms<2>(x)); });
constexpr auto reserved = block<"reserved">(stream(T, c), [](auto x) { return x + linear<"load">(c, c)(x); });
}  // namespace

BOOST_AUTO_TEST_CASE(the_build_knows_the_files_of_the_targets) {
  std::string known;
  for (codegen::target const& each : codegen::all_targets())
    for (std::string const& file : codegen::files_of(each, "")) known += (known.empty() ? "" : " ") + file;
  BOOST_TEST(known == RESIDUA_BLOCK_FILES);
}

BOOST_AUTO_TEST_CASE(sources_are_the_same_each_time_and_do_not_grow_with_the_widths) {
  codegen::options const chosen{"library", {"float", "double"}, {"baseline", "avx2"}};
  auto files = [&](graph_view const& graph) { return codegen::emit_block(codegen::plan_block("pre_norm", graph), chosen); };
  auto const small = files(sized<8, 16>::pre_norm.view()), again = files(sized<8, 16>::pre_norm.view());
  auto const large = files(sized<4096, 16384>::pre_norm.view());
  auto lines = [](std::string const& text) { return std::ranges::count(text, '\n'); };
  for (std::size_t i = 0; i < small.size(); ++i) {
    BOOST_TEST(small[i].content == again[i].content);
    BOOST_TEST(lines(small[i].content) == lines(large[i].content), small[i].name);
  }
}

BOOST_AUTO_TEST_CASE(a_stack_is_a_loop) {
  codegen::options const chosen{"library", {"float"}, {"baseline"}};
  auto size = [&](graph_view const& graph) {
    std::string const source = codegen::emit_block(codegen::plan_block("layers", graph), chosen)[1].content;
    return std::ranges::count(source, '\n');
  };
  // what grows with the layers is rows of tables: parameters, and where the turns of a loop find what they share
  BOOST_TEST(size(pre_norms<12>.view()) < size(pre_norms<4>.view()) * 3 / 2);
}

BOOST_AUTO_TEST_CASE(names_that_a_header_cannot_have_are_refused) {
  codegen::options const chosen{"library", {"float"}, {"baseline"}};
  auto refused = [&](graph_view const& graph, std::string const& wanted) {
    BOOST_CHECK_EXCEPTION(codegen::emit_block(codegen::plan_block("b", graph), chosen), std::invalid_argument,
                          [&](std::invalid_argument const& e) { return e.what() == wanted; });
  };
  refused(macro.view(), "residua: an operation may not be called \"errno\": C++ has a macro of that name");
  refused(macro_axis.view(), "residua: an axis may not be called \"unix\": C++ has a macro of that name");
  refused(layer_named.view(), "residua: h.layer_0 is an operation and also a layer of the stack h");
}

BOOST_AUTO_TEST_CASE(the_driver_says_what_is_wrong_and_writes_nothing) {
  char const* const arguments[] = {"generator", "--library", "l",      "--output",           "/nonexistent/folder",
                                   "--scalars", "float",     "double", "--instruction-sets", "baseline"};
  BOOST_TEST(codegen::run(10, arguments, {{"b", reserved.view()}}) == 1);
  BOOST_TEST(codegen::run(3, arguments, {}) != 0);
}
