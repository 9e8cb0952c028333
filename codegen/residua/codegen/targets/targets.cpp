#include <residua/codegen/targets/cpp/cpp.hpp>
#include <residua/codegen/targets/jacobian/jacobian.hpp>
#include <residua/codegen/targets/target.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

std::vector<std::string> emit_cpp(block_plan const& block, options const& chosen) {
  return {emit_header(block, chosen), emit_source(block, chosen)};
}

}  // namespace

std::span<target const> all_targets() {
  // One target a line: the build reads the endings here (CMakeLists.txt), so no other place repeats them.
  static target const list[] = {
      {"cpp", {".hpp", ".cpp"}, emit_cpp},
      {"jacobian", {".jacobian.txt", ".jacobian.tex", ".jacobian.json"}, emit_jacobian},
  };
  return list;
}

std::vector<std::string> files_of(target const& form, std::string_view block) {
  std::vector<std::string> names;
  for (std::string_view ending : form.endings) names.push_back(std::string(block) + std::string(ending));
  return names;
}

std::vector<generated_file> emit(target const& form, block_plan const& block, options const& chosen) {
  std::vector<std::string> names = files_of(form, block.name);
  std::vector<std::string> contents = form.emit(block, chosen);
  if (contents.size() != names.size()) throw std::logic_error("residua: a target's files are not those of its list");
  std::vector<generated_file> files;
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({std::move(names[i]), std::move(contents[i])});
  return files;
}

std::vector<generated_file> emit_block(block_plan const& block, options const& chosen) {
  std::vector<generated_file> files;
  for (target const& form : all_targets())
    for (generated_file& each : emit(form, block, chosen)) files.push_back(std::move(each));
  return files;
}

}  // namespace residua::codegen
