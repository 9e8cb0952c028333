// What the driver writes: the same sources each time, of a size that does not depend on widths; and what it refuses.
#define BOOST_TEST_MODULE emission
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <residua/codegen/driver.hpp>
#include <residua/codegen/targets/cpp/emit.hpp>
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

constexpr auto reserved = block<"reserved">(stream(T, c), [](auto x) { return x + linear<"load">(c, c)(x); });
}  // namespace

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

BOOST_AUTO_TEST_CASE(the_driver_says_what_is_wrong_and_writes_nothing) {
  char const* const arguments[] = {"generator", "--library", "l", "--output", "/nonexistent/folder"};
  BOOST_TEST(codegen::run(5, arguments, {{"b", reserved.view()}}) == 1);
  BOOST_TEST(codegen::run(3, arguments, {}) != 0);
}
