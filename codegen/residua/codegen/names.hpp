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

/// The names that emitted functions use themselves, so that no value has one of them.
inline std::set<std::string, std::less<>> reserved_names() {
  return {"Real", "all", "first", "head", "into", "of", "part", "parts", "residua", "rows", "rt", "std", "t", "tile", "whole"};
}

/// F.up.weight as one identifier: F_up_weight.
inline std::string flat(std::string path) {
  for (char& c : path)
    if (c == '.') c = '_';
  return path;
}

}  // namespace residua::codegen
