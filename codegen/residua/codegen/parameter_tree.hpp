#pragma once
#include <map>
#include <residua/codegen/parameter_list.hpp>

namespace residua::codegen {

/// The parameters as nested structs, by the parts of their paths; layers of a stack that are alike become an array.
struct parameter_tree {
  std::string name;                        // of the member: F, up, weight; empty at the root
  std::vector<parameter_tree> children{};  // none: a tensor
  int tensor = -1;                         // its place in the list
  int layers = 0;                          // of an array: how many, all like children[0]

  bool is_tensor() const { return tensor >= 0; }
};

/// Throws std::invalid_argument where a name would collide with a member that every parameters struct has.
parameter_tree grow_tree(parameter_list const& list);

/// The C++ expression of each tensor, by its place in the list: with "p." before it p.h[3].N.weight.
std::map<int, std::string> member_paths(parameter_tree const& tree, std::string const& before);

}  // namespace residua::codegen
