#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace residua::codegen {

/// Gives each thing one C++ identifier: the wanted one, with a number behind it where that is taken.
class unique_names {
 public:
  explicit unique_names(std::set<std::string, std::less<>> reserved = {}) : taken_(std::move(reserved)) {}

  std::string operator()(std::string_view wanted) {
    std::string name(wanted);
    for (int number = 2; !taken_.insert(name).second; ++number) name = std::string(wanted) + "_" + std::to_string(number);
    return name;
  }

 private:
  std::set<std::string, std::less<>> taken_;
};

/// F.up.weight as one identifier: F_up_weight.
inline std::string flat(std::string path) {
  for (char& c : path)
    if (c == '.') c = '_';
  return path;
}

/// d_h_3_N as d_h_N: a name without the number of a layer of the stack `h`; separator '.' for paths as they are written.
inline std::string without_layer(std::string name, std::string const& stack, int layer, char separator = '_') {
  std::string const number = separator + std::to_string(layer);
  auto ends_part = [&](std::size_t at) { return at == name.size() || name[at] == separator; };
  for (std::size_t at = name.find(stack); at != std::string::npos; at = name.find(stack, at + 1)) {
    std::size_t const behind = at + stack.size();
    if (name.compare(behind, number.size(), number) == 0 && ends_part(behind + number.size())) name.erase(behind, number.size());
  }
  return name;
}

}  // namespace residua::codegen
