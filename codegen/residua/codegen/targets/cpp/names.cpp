#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/targets/cpp/names.hpp>
#include <residua/codegen/targets/text.hpp>
#include <stdexcept>

namespace residua::codegen {

std::string identifiers::operator()(std::string_view path) {
  std::string base;
  for (char c : path) {
    char const next = c == '.' ? '_' : c;
    if (next != '_' || !base.ends_with('_')) base += next;  // two in a row are C++'s own
  }
  if (base.ends_with('_')) base.pop_back();
  std::string name = base + "_";
  for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}_", base, number);
  return name;
}

source_names::source_names(block_plan const& block) : block_(block) {
  identifiers parameter_names;
  identifiers size_names;
  identifiers option_names;
  for (parameter_tensor const& each : block.parameters.all()) parameters_.push_back(parameter_names(each.path));
  for (axis_value const& axis : block.run_time_widths) sizes_.push_back(size_names(axis.name));
  for (int at = 0; at < block.graph.size(); ++at) {
    if (!calculus::rule_of(block.graph[at]).has_options) continue;
    graph::writer path;
    graph::write_path(path, block.graph, block.graph[at].scope);
    options_[at] = option_names(text_of(path));
  }
}

std::string source_names::parameter(int place) {
  used_parameters_.insert(place);
  return "p::" + parameter_name(place);
}

std::string source_names::options(int node) {
  used_options_.insert(node);
  return "options::" + options_name(node);
}

std::string source_names::size(axis_value const& axis) const {
  auto const found = std::ranges::find(block_.run_time_widths, axis);
  if (found == block_.run_time_widths.end())
    throw std::logic_error(fmt::format("residua: the width {} is not among those chosen at run time", axis.name));
  return "sizes::" + sizes_[static_cast<std::size_t>(found - block_.run_time_widths.begin())];
}

std::string source_names::extent(axis_value const& axis) const {
  return axis.extent == graph::run_time ? fmt::format("t.sizes[{}]", size(axis)) : std::to_string(axis.extent);
}

std::string source_names::width(axis_value const& axis) const {
  return axis.extent == graph::run_time ? fmt::format("{{.chosen = {}}}", size(axis)) : fmt::format("{{{}}}", axis.extent);
}

named_program::named_program(std::string_view called, tile_program const& program) : name(called), tile(program) {
  identifiers value_names;
  identifiers whole_names;
  for (codegen::value const& each : program.code.values) values.push_back(value_names(each.name));
  for (whole_row const& row : program.whole) whole.push_back(row.name.empty() ? "" : whole_names(row.name));
}

std::string named_program::entry(indexed at) const {
  std::size_t row = whole.size();
  for (std::size_t i = 0; i < whole.size() && tile.whole[i].entry <= at.first; ++i)
    if (!tile.whole[i].name.empty()) row = i;  // a row without a name is a later layer of the one before
  if (row == whole.size()) throw std::logic_error(fmt::format("residua: {} has no matrix {}", name, at.first));
  return stepped(fmt::format("{}::{}", name, whole[row]), at.first - tile.whole[row].entry, at.step);
}

bool named_program::has_layers() const {
  return std::ranges::any_of(tile.code.segments, [](segment const& each) { return each.times > 1; });
}

std::string stepped(std::string base, int offset, int step) {
  if (offset != 0) base += fmt::format(" {} {}", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
  if (step == 0) return base;
  int const size = step < 0 ? -step : step;
  return base + (step < 0 ? " - " : " + ") + (size == 1 ? "t.layer" : fmt::format("{} * t.layer", size));
}

}  // namespace residua::codegen
