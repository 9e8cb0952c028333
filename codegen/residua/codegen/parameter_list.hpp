#pragma once
#include <residua/calculus/derive.hpp>
#include <residua/codegen/names.hpp>
#include <vector>

namespace residua::codegen {

/// One tensor that a block owns.
struct parameter_tensor {
  std::string path;    // F.up.weight
  std::string member;  // F_up_weight: its name in the kernel's own copy
  calculus::parameter which;
  std::vector<graph::axis_value> shape;  // none: a scalar

  bool is_matrix() const { return shape.size() == 2; }
};

/// All parameters of a block, in the order of their first use, and the lookup from a node.
class parameter_list {
 public:
  explicit parameter_list(graph::graph_view const& graph);

  std::vector<parameter_tensor> const& all() const { return tensors_; }
  parameter_tensor const& operator[](int at) const { return tensors_[static_cast<std::size_t>(at)]; }
  /// The place in the list of a node's own parameter, -1 where it has none of this role.
  int find(graph::node const& node, calculus::role which) const;

 private:
  std::vector<parameter_tensor> tensors_;
};

}  // namespace residua::codegen
