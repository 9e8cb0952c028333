#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <residua/codegen/driver.hpp>
#include <residua/codegen/targets/cpp/emit.hpp>
#include <set>
#include <stdexcept>

namespace residua::codegen {

namespace {

namespace fs = std::filesystem;

std::string read(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes a file whole, by way of a second one, and leaves it alone where it has this content already.
void write_if_changed(fs::path const& file, std::string const& content) {
  if (fs::exists(file) && read(file) == content) return;
  fs::path const fresh = file.string() + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("residua: cannot write {}", file.string()));
  fs::rename(fresh, file);
}

void remove_repeated(std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::erase_if(names, [&](std::string const& name) { return !seen.insert(name).second; });
}

void generate(options const& chosen, fs::path const& output, std::vector<entry> const& blocks) {
  std::set<std::string> names;
  std::vector<generated_file> files;
  for (entry const& each : blocks) {
    if (!names.insert(each.name).second)
      throw std::invalid_argument(fmt::format("residua: two blocks are called {}; their headers would be one file", each.name));
    try {
      for (generated_file& file : emit_block(plan_block(each.name, each.graph), chosen)) files.push_back(std::move(file));
    } catch (std::invalid_argument const& error) {
      throw std::invalid_argument(fmt::format("{} (in {})", error.what(), each.name));
    }
  }
  fs::create_directories(output / chosen.library);
  for (generated_file const& file : files) write_if_changed(output / chosen.library / file.name, file.content);
}

}  // namespace

int run(int argc, char const* const* argv, std::vector<entry> const& blocks) {
  options chosen{.library = {}, .scalars = {"float", "double"}, .instruction_sets = {"baseline"}};
  std::string output;
  CLI::App app("Writes the kernels of residual blocks as C++ sources.");
  app.add_option("--library", chosen.library, "namespace and folder of the generated headers")->required();
  app.add_option("--output", output, "folder to write to")->required();
  app.add_option("--scalars", chosen.scalars, "element types")->check(CLI::IsMember({"float", "double"}));
  app.add_option("--instruction-sets", chosen.instruction_sets, "instruction sets to compile for")
      ->check(CLI::IsMember({"baseline", "avx2", "avx512"}));
  try {
    app.parse(argc, argv);
    chosen.instruction_sets.insert(chosen.instruction_sets.begin(), "baseline");  // what every machine has
    remove_repeated(chosen.instruction_sets);
    remove_repeated(chosen.scalars);
    generate(chosen, output, blocks);
    return 0;
  } catch (CLI::ParseError const& error) {
    return app.exit(error);
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace residua::codegen
