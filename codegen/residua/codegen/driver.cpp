#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <residua/codegen/driver.hpp>
#include <residua/codegen/options.hpp>
#include <residua/codegen/targets/target.hpp>
#include <residua/rt/core/instruction_set.hpp>
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
  if (!out) throw std::runtime_error("residua: cannot write " + file.string());
  fs::rename(fresh, file);
}

/// residua_add_kernels has checked them; who calls the generator by hand is told here.
void check(options const& chosen) {
  for (std::string const& scalar : chosen.scalars)
    if (scalar != "float" && scalar != "double") throw std::invalid_argument("residua: scalar '" + scalar + "' is unknown");
  for (std::string const& set : chosen.instruction_sets)
    if (std::ranges::none_of(rt::all_instruction_sets, [&](auto const& row) { return row.name == set; }))
      throw std::invalid_argument("residua: instruction set '" + set + "' is unknown");
}

void generate(options const& chosen, fs::path const& output, std::vector<entry> const& blocks) {
  check(chosen);
  std::set<std::string> names;
  std::vector<generated_file> files;
  for (entry const& each : blocks) {
    if (!names.insert(each.name).second)
      throw std::invalid_argument("residua: two blocks are called " + each.name + "; their headers would be one file");
    try {
      for (generated_file& file : emit_block(plan_block(each.name, each.graph), chosen)) files.push_back(std::move(file));
    } catch (std::invalid_argument const& error) {
      throw std::invalid_argument(std::string(error.what()) + " (in " + each.name + ")");
    }
  }
  fs::create_directories(output / chosen.library);
  for (generated_file const& file : files) write_if_changed(output / chosen.library / file.name, file.content);
}

}  // namespace

int run(int argc, char const* const* argv, std::vector<entry> const& blocks) {
  parsed_command const parsed = parse(argc, argv);
  if (!parsed.given) return parsed.status;
  command const& given = *parsed.given;
  try {
    generate({given.library, given.scalars, given.instruction_sets}, given.output, blocks);
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace residua::codegen
