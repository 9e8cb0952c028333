#include <fmt/format.h>
#include <algorithm>
#include <residua/codegen/targets/cpp/macros.hpp>
#include <residua/codegen/targets/cpp/names.hpp>
#include <residua/codegen/targets/cpp/parameters.hpp>
#include <residua/codegen/targets/text.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

void refuse_macro(std::string_view what, std::string_view name) {
  if (is_macro(name))
    throw std::invalid_argument(fmt::format("residua: {} may not be called \"{}\": C++ has a macro of that name", what, name));
}

void refuse_macros(parameter_tree const& at) {
  for (parameter_tree const& each : at.children) {
    refuse_macro("an operation", each.name);
    refuse_macros(each);
  }
}

/// Writes the struct and what belongs to it.
class struct_writer {
 public:
  struct_writer(block_plan const& block, options const& chosen, parameter_tree const& tree)
      : block_(block), scope_(fmt::format("::{}::{}", chosen.library, block.name)), tree_(tree) {
    extents_ = "e";  // the constructor's argument, which no member may hide
    while (std::ranges::find(tree.children, extents_, &parameter_tree::name) != tree.children.end()) extents_ += "_";
  }

  std::string parts() {
    std::string const structs = parts_below(tree_, "");
    if (structs.empty()) return "";
    return fmt::format(
        "/// What the parameters are made of, by the path to it.\nnamespace parts {{\n{}}}  // namespace parts\n\n", structs);
  }

  std::string parameters() {
    return fmt::format(R"(/// The parameters, each tensor born at its shape with zeros. Files are <path>.npy, one for each tensor.
template <class Real>
struct parameters {{
{members}{sizes}
  /// Reads all tensors from a folder; throws std::runtime_error and changes nothing where a file is missing, surplus
  /// or of another shape.
  template <class Path>
  void load(Path const& folder) {{
    ::residua::rt::load_parameters<Real>(::residua::rt::path_text(folder), ::residua::rt::slots_of<Real>(*this));
  }}
  template <class Path>
  void save(Path const& folder) const {{
    ::residua::rt::save_parameters<Real>(::residua::rt::path_text(folder), ::residua::rt::slots_of<Real>(*this));
  }}
}};

)",
                       fmt::arg("members", members(tree_, "", "  ")), fmt::arg("sizes", sized() ? sizes_and_constructor() : ""));
  }

  std::string for_each() const {
    return fmt::format(R"(template <class Parameters, class Function>
void visit_all([[maybe_unused]] Parameters& p, [[maybe_unused]] Function& f) {{
{visits}}}

/// f(path, tensor) for each parameter, in the order of use.
template <class Real, class Function>
void for_each(parameters<Real>& p, Function&& f) {{
  visit_all(p, f);
}}
template <class Real, class Function>
void for_each(parameters<Real> const& p, Function&& f) {{
  visit_all(p, f);
}}

)",
                       fmt::arg("visits", visits()));
  }

 private:
  bool sized() const { return !block_.run_time_widths.empty(); }

  /// The parts of a part stand before it.
  std::string parts_below(parameter_tree const& at, std::string const& path) {
    std::string out;
    for (parameter_tree const& each : at.children) {
      if (each.is_tensor()) continue;
      std::string const own = path + each.name;
      parameter_tree const& content = each.layers > 0 ? each.children[0] : each;
      out += parts_below(content, own + ".");
      out += fmt::format("template <class Real>\nstruct {} {{\n{}}};\n\n", part_name(own), members(content, own + ".", "  "));
    }
    return out;
  }

  std::string const& part_name(std::string const& path) {
    auto const [found, fresh] = part_names_.try_emplace(path);
    if (fresh) found->second = part_identifiers_(path);
    return found->second;
  }

  std::string members(parameter_tree const& at, std::string const& path, std::string const& indent) {
    std::string out;
    for (parameter_tree const& each : at.children) out += indent + member(each, path);
    return out;
  }

  std::string member(parameter_tree const& each, std::string const& path) {
    if (each.is_tensor()) {
      std::vector<axis_value> const& shape = block_.parameters[each.tensor].shape;
      std::vector<std::string> axes;
      for (axis_value const& axis : shape) axes.emplace_back(axis.name);
      std::string const initial = sized() ? "" : fmt::format(" = ::residua::rt::zeros<Real>({})", extents(shape));
      return fmt::format("::residua::rt::tensor<Real, {}> {}{};  // ({})\n", shape.size(), each.name, initial, joined(axes));
    }
    std::string const type = fmt::format("{}::parts::{}<Real>", scope_, part_name(path + each.name));
    if (each.layers > 0) return fmt::format("::std::array<{}, {}> {};\n", type, each.layers, each.name);
    return fmt::format("{} {};\n", type, each.name);
  }

  std::string extents(std::vector<axis_value> const& shape) const {
    std::vector<std::string> list;
    for (axis_value const& axis : shape)
      list.push_back(axis.extent == graph::run_time ? fmt::format("{}.{}", extents_, axis.name) : std::to_string(axis.extent));
    return joined(list);
  }

  std::string sizes_and_constructor() const {
    std::string born;
    for (auto const& [tensor, place] : member_paths(tree_, "this->"))
      born += fmt::format("    {} = ::residua::rt::zeros<Real>({});\n", place, extents(block_.parameters[tensor].shape));
    return fmt::format(
        "  {scope}::extents sizes;\n\n  explicit parameters({scope}::extents const& {e}) : sizes({e}) {{\n{born}  }}\n",
        fmt::arg("scope", scope_), fmt::arg("e", extents_), fmt::arg("born", born));
  }

  /// One line a tensor, and a loop over the layers of a stack that are alike.
  std::string visits() const {
    std::map<int, std::string> const places = member_paths(tree_, "p.");
    std::string out;
    for (int at = 0; at < static_cast<int>(places.size());) {
      parameter_tree const* const stack = stack_from(at);
      if (!stack) {
        out += fmt::format("  f(std::string_view(\"{}\"), {});\n", block_.parameters[at].path, places.at(at));
        ++at;
        continue;
      }
      std::map<int, std::string> const of_layer = member_paths(stack->children[0], "at.");
      out += fmt::format("  for (std::size_t layer = 0; layer < p.{0}.size(); ++layer) {{\n    auto& at = p.{0}[layer];\n",
                         stack->name);
      for (auto const& [tensor, place] : of_layer)
        out +=
            fmt::format("    f(rt::layer_path(\"{}\", layer, \"{}\"), {});\n", stack->name, path_in_layer(*stack, tensor), place);
      out += "  }\n";
      at += stack->layers * static_cast<int>(of_layer.size());
    }
    return out;
  }

  /// The stack whose first layer's tensors start at a place, if its layers follow one another in the list.
  parameter_tree const* stack_from(int place) const {
    for (parameter_tree const& each : tree_.children) {
      if (each.layers == 0) continue;
      int next = place;
      bool in_order = true;
      std::vector<std::string> first;
      for (parameter_tree const& layer : each.children) {
        std::vector<std::string> paths;
        for (auto const& [tensor, path] : member_paths(layer, "")) {
          in_order = in_order && tensor == next++;
          paths.push_back(path);
        }
        if (first.empty()) first = paths;
        in_order = in_order && paths == first;
      }
      if (in_order) return &each;
    }
    return nullptr;
  }

  std::string path_in_layer(parameter_tree const& stack, int tensor) const {
    std::string const before = stack.name + ".0.";
    return block_.parameters[tensor].path.substr(before.size());
  }

  block_plan const& block_;
  std::string scope_;
  parameter_tree const& tree_;
  std::string extents_;
  identifiers part_identifiers_;
  std::map<std::string, std::string> part_names_;
};

}  // namespace

std::string emit_parameters(block_plan const& block, options const& chosen, parameter_tree const& tree) {
  refuse_macros(tree);
  struct_writer writer(block, chosen, tree);
  std::string const parts = writer.parts();
  return parts + writer.parameters() + writer.for_each();
}

std::string emit_extents(block_plan const& block) {
  if (block.run_time_widths.empty()) return "";
  std::string members;
  for (axis_value const& axis : block.run_time_widths) {
    refuse_macro("an axis", axis.name);
    members += fmt::format("  ::residua::rt::index {};\n", axis.name);
  }
  return fmt::format("/// The widths that are chosen when the parameters are made.\nstruct extents {{\n{}}};\n\n", members);
}

}  // namespace residua::codegen
