#include <algorithm>
#include <iostream>
#include <residua/codegen/options.hpp>
#include <string_view>

namespace residua::codegen {

namespace {

struct option {
  std::string_view name;
  std::string_view meaning;
  bool takes_several;
  std::vector<std::string>* values;  // as they were given, each once
};

void print_help(std::vector<option> const& known) {
  std::cout << "Writes the kernels of residual blocks as C++ sources.\n";
  for (option const& each : known)
    std::cout << "  " << each.name << (each.takes_several ? " NAME...  " : " NAME  ") << each.meaning << "\n";
}

parsed_command refuse(std::string const& what) {
  std::cerr << "residua: " << what << "; --help lists the options\n";
  return {std::nullopt, 2};
}

}  // namespace

parsed_command parse(int argc, char const* const* argv) {
  std::vector<std::string> library, output, scalars, sets;
  std::vector<option> const known{{"--library", "namespace and folder of the headers", false, &library},
                                  {"--output", "folder to write to", false, &output},
                                  {"--scalars", "float, double", true, &scalars},
                                  {"--instruction-sets", "baseline and what is faster", true, &sets}};
  option const* current = nullptr;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    if (word == "--help") {
      print_help(known);
      return {};
    }
    if (word.starts_with("--")) {
      auto const found = std::find_if(known.begin(), known.end(), [&](option const& each) { return each.name == word; });
      if (found == known.end()) return refuse("option " + word + " is unknown");
      current = &*found;
      continue;
    }
    if (!current || (!current->takes_several && !current->values->empty())) return refuse("'" + word + "' follows no option");
    std::vector<std::string>& values = *current->values;
    if (std::find(values.begin(), values.end(), word) == values.end()) values.push_back(word);
  }
  for (option const& each : known)
    if (each.values->empty()) return refuse("option " + std::string(each.name) + " is missing");
  return {command{library.front(), output.front(), scalars, sets}, 0};
}

}  // namespace residua::codegen
