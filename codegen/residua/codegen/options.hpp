// The generator's command line. This header and options.cpp need the standard library of C++17 alone: the parser is
// compiled apart from all that is the generator's own.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace residua::codegen {

/// What the command line says.
struct command {
  std::string library;
  std::string output;
  std::vector<std::string> scalars;
  std::vector<std::string> instruction_sets;
};

/// What came of reading it: a command, or the status to end with.
struct parsed_command {
  std::optional<command> given;
  int status = 0;
};

/// Reads --library, --output, --scalars and --instruction-sets. Help and errors are printed here.
parsed_command parse(int argc, char const* const* argv);

}  // namespace residua::codegen
