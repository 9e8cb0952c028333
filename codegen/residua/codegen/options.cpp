#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <residua/codegen/options.hpp>

namespace residua::codegen {

namespace {

/// The names that were given, each once.
std::vector<std::string> names_of(CLI::Option const& option) {
  std::vector<std::string> names;
  for (std::string const& each : option.results())
    if (std::find(names.begin(), names.end(), each) == names.end()) names.push_back(each);
  return names;
}

}  // namespace

parsed_command parse(int argc, char const* const* argv) {
  CLI::App app("Writes the kernels of residual blocks as C++ sources.");
  CLI::Option* const library = app.add_option("--library")->required()->description("namespace and folder of the headers");
  CLI::Option* const output = app.add_option("--output")->required()->description("folder to write to");
  CLI::Option* const scalars =
      app.add_option("--scalars")->required()->expected(1, -1)->allow_extra_args()->description("float, double");
  CLI::Option* const sets = app.add_option("--instruction-sets")
                                ->required()
                                ->expected(1, -1)
                                ->allow_extra_args()
                                ->description("baseline and what is faster");
  try {
    app.parse(argc, argv);
    return {command{library->results().front(), output->results().front(), names_of(*scalars), names_of(*sets)}, 0};
  } catch (CLI::ParseError const& error) {
    return {std::nullopt, app.exit(error)};
  }
}

}  // namespace residua::codegen
