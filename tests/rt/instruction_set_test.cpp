// Dispatch: a forced set that is ignored, a misspelt or missing set that is taken silently.
#define BOOST_TEST_MODULE rt_instruction_set
#include <residua/rt/core/instruction_set.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdlib>

namespace residua::test {

using namespace rt;

BOOST_AUTO_TEST_CASE(the_best_is_supported) {
  BOOST_TEST(supported(best()));
  BOOST_TEST(supported(instruction_set::baseline));
}

BOOST_AUTO_TEST_CASE(the_environment_chooses_and_force_overrides) {
  setenv("RESIDUA_INSTRUCTION_SET", "baseline", 1);  // before the first selected(), which reads it once
  BOOST_TEST((selected() == instruction_set::baseline));
  force_instruction_set(best());
  BOOST_TEST((selected() == best()));
  unforce_instruction_set();
  BOOST_TEST((selected() == instruction_set::baseline));
}

BOOST_AUTO_TEST_CASE(errors_name_what_was_given_and_what_there_is) {
  auto const message = [](auto const& action) -> std::string {
    try {
      action();
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "";
  };
  std::string const unknown = message([] { (void)parse_instruction_set("avx1024"); });
  BOOST_TEST(unknown.starts_with("residua: instruction set 'avx1024' is unknown; this machine has baseline"), unknown);
  for (auto const& [set, name, supported] : all_instruction_sets)
    if (!supported()) {
      std::string const text = message([&] { force_instruction_set(set); });
      BOOST_TEST(text.starts_with("residua: instruction set '" + std::string(name) +
                                  "' is not supported here; this machine has baseline"),
                 text);
    }
}

BOOST_AUTO_TEST_CASE(of_those_compiled_the_last_up_to_the_chosen_one) {
  using enum instruction_set;
  force_instruction_set(best());
  for (instruction_set set : {baseline, avx2})
    if (supported(set)) {
      force_instruction_set(set);
      BOOST_TEST((selected_among(std::array{avx512, set, baseline}) == set));
      BOOST_TEST((selected_among(std::array{avx512, baseline}) == baseline));
    }
  unforce_instruction_set();
}

}  // namespace residua::test
