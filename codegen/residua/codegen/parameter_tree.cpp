#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/parameter_tree.hpp>
#include <set>
#include <stdexcept>

namespace residua::codegen {

namespace {

std::vector<std::string> parts_of(std::string const& path) {
  std::vector<std::string> parts(1);
  for (char c : path)
    if (c == '.') parts.emplace_back();
    else parts.back() += c;
  return parts;
}

bool is_layer(std::string const& part) { return part.find_first_not_of("0123456789") == std::string::npos; }

parameter_tree& child(parameter_tree& of, std::string const& name) {
  auto const found = std::ranges::find(of.children, name, &parameter_tree::name);
  if (found != of.children.end()) return *found;
  of.children.push_back({.name = name});
  return of.children.back();
}

/// Whether two subtrees are the same struct: names and shapes agree.
bool alike(parameter_tree const& a, parameter_tree const& b, parameter_list const& list) {
  if (a.is_tensor() != b.is_tensor() || a.children.size() != b.children.size() || a.layers != b.layers) return false;
  if (a.is_tensor()) return list[a.tensor].shape == list[b.tensor].shape;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (a.children[i].name != b.children[i].name || !alike(a.children[i], b.children[i], list)) return false;
  return true;
}

/// Turns the numbered children of a stack into an array where they are all there is and alike, into members layer_0, ...
/// elsewhere.
void settle_layers(parameter_tree& at, parameter_list const& list, std::string const& path) {
  for (parameter_tree& each : at.children) settle_layers(each, list, path.empty() ? each.name : path + "." + each.name);
  if (std::ranges::none_of(at.children, is_layer, &parameter_tree::name)) return;
  bool array = true;
  for (std::size_t i = 0; i < at.children.size(); ++i)
    array = array && at.children[i].name == std::to_string(i) && alike(at.children[i], at.children[0], list);
  if (array) at.layers = static_cast<int>(at.children.size());
  std::set<std::string> names;
  for (parameter_tree& each : at.children) {
    if (is_layer(each.name)) each.name = "layer_" + each.name;
    if (!names.insert(each.name).second)
      throw std::invalid_argument(
          fmt::format("residua: {}.{} is an operation and also a layer of the stack {}", path, each.name, path));
  }
}

/// `path`: of the struct, with the dot behind it.
void collect_paths(parameter_tree const& at, std::string const& path, std::map<int, std::string>& paths) {
  for (parameter_tree const& each : at.children) {
    if (each.is_tensor()) paths[each.tensor] = path + each.name;
    for (std::size_t i = 0; i < each.children.size() && each.layers > 0; ++i)
      collect_paths(each.children[i], fmt::format("{}{}[{}].", path, each.name, i), paths);
    if (each.layers == 0) collect_paths(each, path + each.name + ".", paths);
  }
}

/// A path that leads to a tensor cannot lead on to others.
void refuse_crossed(parameter_tree const& at, std::string const& path) {
  if (at.is_tensor() && !at.children.empty())
    throw std::invalid_argument(fmt::format("residua: {} is a parameter and also the start of the path of another, {}.{}", path,
                                            path, at.children[0].name));
  for (parameter_tree const& each : at.children) refuse_crossed(each, path.empty() ? each.name : path + "." + each.name);
}

/// Names that every parameters struct has, and the name of its template parameter.
void refuse_reserved(parameter_tree const& at, bool at_root) {
  for (parameter_tree const& each : at.children) {
    for (std::string_view reserved : {"Real", "load", "save", "sizes", "parameters", "extents"})
      if (each.name == reserved && (at_root || reserved == "Real"))
        throw std::invalid_argument(
            fmt::format("residua: an operation may not be called \"{}\": every parameters struct uses that name", reserved));
    refuse_reserved(each, false);
  }
}

}  // namespace

parameter_tree grow_tree(parameter_list const& list) {
  parameter_tree root;
  for (std::size_t i = 0; i < list.all().size(); ++i) {
    parameter_tree* at = &root;
    for (std::string const& part : parts_of(list.all()[i].path)) at = &child(*at, part);
    if (at->is_tensor())
      throw std::invalid_argument(fmt::format("residua: two operations have the parameter {}", list.all()[i].path));
    at->tensor = static_cast<int>(i);
  }
  refuse_crossed(root, "");
  refuse_reserved(root, true);
  settle_layers(root, list, "");
  return root;
}

std::map<int, std::string> member_paths(parameter_tree const& tree, std::string const& before) {
  std::map<int, std::string> paths;
  collect_paths(tree, before, paths);
  return paths;
}

}  // namespace residua::codegen
